"""Sound that participants send: what a WAV file really holds, told without trusting its header."""
