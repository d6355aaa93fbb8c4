"""The sentences of problems with waveforms and their archives; `messages` takes them in."""

from __future__ import annotations

from grading.scoring.methodology import N_

WAVE_TEMPLATES: dict[str, str] = {
    "ARCHIVE_TOO_LARGE.entries": N_(
        "The archive is too large: its list of entries has a size of {size} bytes, at most {limit} are allowed."
    ),
    "ARCHIVE_TOO_LARGE.member": N_(
        "This file is too large when unpacked: its size is {size} bytes, at most {limit} are allowed for one clip."
    ),
    "BAD_ARCHIVE.container": N_(
        "This is not a zip or tar archive but {found}. Send one zip with a .wav file for each utterance."
    ),
    "BAD_ARCHIVE.damaged_gzip": N_(
        "The gzip archive is damaged: it cannot be unpacked. Pack it again and upload it again."
    ),
    "BAD_ARCHIVE.empty_sounds": N_(
        "The archive is empty: it has no files. Put a .wav file for each utterance in."
    ),
    "BAD_ARCHIVE.folder": N_(
        "This entry of the archive is a folder, though it is named like a WAV file. Put the file itself in."
    ),
    "BAD_ARCHIVE.folders": N_(
        'Most .wav files are in the folder "{folder}", but these are not ({count}): {names}. Put all of them into one folder, or at the top.'
    ),
    "BAD_ARCHIVE.nested_sounds": N_(
        "There is an archive ({found}) inside the archive: no zip inside a zip. Put the .wav files themselves in."
    ),
    "BAD_ARCHIVE.no_archive": N_(
        "This is not a zip or tar archive. Send one zip with a .wav file for each utterance."
    ),
    "BAD_ARCHIVE.no_sounds": N_(
        "The archive holds no .wav file, but {names}. Put a .wav file for each utterance in."
    ),
    "BAD_ARCHIVE.subfolders": N_(
        "Most .wav files are at the top of the archive, but these are in a folder ({count}): {names}. Put all of them at the top, or into one folder."
    ),
    "BAD_ARCHIVE.tar_header": N_(
        "The tar archive is damaged: an entry does not start as it must. Pack it again and upload it again."
    ),
    "BAD_ARCHIVE.truncated_tar": N_(
        "The tar archive is damaged or cut short (truncated): its end is missing. Upload it again, or pack it again."
    ),
    "DUPLICATE_UTT_ID.sounds": N_(
        'This utterance comes twice (a duplicate): the file "{first}" is for it, too; upper and lower case and the form of characters make no difference. Keep one file for each utterance.'
    ),
    "EMPTY_FILE.sounds": N_(
        "The file is empty: every utterance is missing. Send one zip with a .wav file for each utterance."
    ),
    "FOLDER_IN_ARCHIVE.sounds": N_(
        'All .wav files are in the folder "{folder}"; its name was left out.'
    ),
    "INVALID_UTT_ID.name_control": N_(
        "The name of this file is empty or has control characters. Name it after its utterance: utt_id.wav."
    ),
    "INVALID_UTT_ID.name_long": N_(
        "The name of this file is too long: more than {limit} characters. Name it after its utterance: utt_id.wav."
    ),
    "MISSING_SAMPLES.sounds": N_(
        "Missing utterances ({count} of {of}): {ids}. Send a file utt_id.wav for each."
    ),
    "SCREEN_BANDWIDTH": N_(
        "Nothing is to be heard above {found} Hz, less than {limit} Hz: the sound is dull, as from a low sample rate."
    ),
    "SCREEN_CLIPPED": N_(
        "{found} times, more than {limit}, several samples in a row stand at full scale: the sound is clipped."
    ),
    "SCREEN_SILENCE": N_(
        "{found} % of the clip is quieter than -50 dBFS, more than {limit} %: most of it is silence."
    ),
    "SCREEN_SPEECH": N_("Only {found} s of the clip are taken for speech, less than {limit} s."),
    "SCREEN_ZEROS": N_(
        "{found} s in a row are digital zeros, more than {limit} s: a part may be missing."
    ),
    "UNKNOWN_SAMPLES.sounds": N_(
        "Files for an unknown utt_id were ignored ({count}): {names}. A file is named utt_id.wav."
    ),
    "WAV_CLIPPED.full_scale": N_(
        "{percent} % of the samples are at full scale: the sound is clipped. Make it quieter before it is written."
    ),
    "WAV_CLIPPED.wrapped": N_(
        "{percent} % of the samples jump from one end of the range to the other: the sound was clipped by overflow when it was written. Limit it to the range first."
    ),
    "WAV_DC_OFFSET": N_(
        "The samples are not centered: their mean (DC) is {percent} % of full scale, more than {limit} %. Take the offset out."
    ),
    "WAV_DURATION.long": N_(
        "The clip is too long: its duration is {seconds} s ({frames} frames), at most {limit} s are allowed."
    ),
    "WAV_DURATION.short": N_(
        "The clip is too short: its duration is {seconds} s ({frames} frames), at least {limit} s are needed."
    ),
    "WAV_EMPTY.bytes": N_("The file is empty: it has 0 bytes."),
    "WAV_EMPTY.frames": N_(
        "The clip is empty: its header declares {declared} bytes of samples, so there are 0 frames."
    ),
    "WAV_FORMAT.block": N_(
        "The header contradicts itself: the block size (block align) is {found} bytes, but a 16-bit mono sample has {wanted}."
    ),
    "WAV_FORMAT.channels": N_("The file has {found} channels; it must be mono ({wanted} channel)."),
    "WAV_FORMAT.chunks": N_(
        "There is no end to the header: more than {limit} chunks come before the samples."
    ),
    "WAV_FORMAT.codec": N_("The samples are {found}; they must be {wanted}."),
    "WAV_FORMAT.ending": N_(
        "The name of this file ends in {found}: sounds must be WAV files (16-bit PCM, mono, 16000 Hz), named utt_id.wav."
    ),
    "WAV_FORMAT.half": N_(
        'The "data" chunk has {found} bytes, which is no whole number of 16-bit samples.'
    ),
    "WAV_FORMAT.kind": N_(
        "This is not a WAV file but {found}. It must be WAV: 16-bit PCM, mono, 16000 Hz."
    ),
    "WAV_FORMAT.no_data": N_('The header is not followed by samples: there is no "data" chunk.'),
    "WAV_FORMAT.no_fmt": N_(
        'The header is incomplete: there is no "fmt " chunk before the samples.'
    ),
    "WAV_FORMAT.rate": N_("The sample rate is {found} Hz; it must be {wanted} Hz."),
    "WAV_FORMAT.short_fmt": N_(
        'The header is damaged: its "fmt " chunk has {found} bytes, at least {wanted} are needed.'
    ),
    "WAV_FORMAT.text": N_(
        "This is not a WAV file but a text file. It must be WAV: 16-bit PCM, mono, 16000 Hz."
    ),
    "WAV_FORMAT.two_data": N_(
        'The file has two "data" chunks, so readers would hear different sounds in it. Write it again with one.'
    ),
    "WAV_FORMAT.two_fmt": N_(
        'The header has two "fmt " chunks, so readers would see different formats in it. Write it again with one.'
    ),
    "WAV_FORMAT.unknown": N_(
        "This is not a WAV file: it does not start with a RIFF/WAVE header. It must be WAV: 16-bit PCM, mono, 16000 Hz."
    ),
    "WAV_FORMAT.variant": N_(
        "The header is of the kind {found}; it must be plain RIFF/WAVE, the common WAV. Write the file again as such."
    ),
    "WAV_FORMAT.width": N_("The samples are {found}-bit PCM; they must be {wanted}-bit PCM."),
    "WAV_SILENT.constant": N_(
        "The clip is silent: all its samples are {value}. A judge will hear no vocalization in it."
    ),
    "WAV_SILENT.quiet": N_(
        "The clip is silent: its peak is {peak} dBFS, below {limit} dBFS. A judge will hear no vocalization in it."
    ),
    "WAV_TRUNCATED.chunk": N_(
        'The file is truncated: its chunk "{chunk}" declares {declared} bytes, {found} are there.'
    ),
    "WAV_TRUNCATED.data": N_(
        "The file is truncated: its header declares {declared} bytes of samples, {found} are there."
    ),
    "WAV_TRUNCATED.header": N_(
        "The file is truncated: it ends inside its header, after {found} bytes."
    ),
    "WAV_TRUNCATED.stream": N_(
        "The header declares {declared} bytes of samples, {found} are there: the size field was never filled in, as when a program writes to a pipe, so that a truncated file cannot be told from a whole one. Write to a file instead."
    ),
    "WRONG_TRACK.text": N_(
        "This is a text file. This track takes waveforms: send one zip with a .wav file for each utterance. Transcripts belong to the text track."
    ),
    "WRONG_TRACK.texts": N_(
        "There are transcripts in the archive ({count}): {names}. This track takes waveforms: send one zip with a .wav file for each utterance."
    ),
}
