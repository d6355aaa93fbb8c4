// Plays one sound: a large button, the outline as it is heard, and how much of it was heard.
// Seeking is possible once the sound was heard in full. Without scripts the browser's own player stays.

const SHARE = 0.95;
const players = new Set();

function clock(seconds) {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 0.001);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

export class Player {
  // `changed()` is called when something was heard in full; `failed()` when the sound does not load.
  constructor(root, { plays = 0, changed = () => {}, failed = () => {} } = {}) {
    this.root = root;
    this.audio = root.querySelector("[data-audio]");
    this.button = root.querySelector("[data-play]");
    this.bars = [...root.querySelectorAll("[data-wave] rect")];
    this.line = root.querySelector("[data-head-line]");
    this.seek = root.querySelector("[data-seek]");
    this.now = root.querySelector("[data-now]");
    this.badge = root.querySelector("[data-heard]");
    this.seconds = Number(root.dataset.seconds) || 0;
    this.plays = plays;
    this.changed = changed;
    this.failed = failed;
    this.blob = null;
    this.playedAt = 0;
    players.add(this);
    this.dress();
    this.listen();
    this.showHeard();
  }

  get heard() {
    return this.plays > 0;
  }

  dress() {
    this.audio.removeAttribute("controls");
    this.audio.hidden = true;
    for (const part of this.root.querySelectorAll("[data-play], [data-track], [data-times]")) part.hidden = false;
    if (this.seek) this.seek.disabled = !this.heard;
  }

  listen() {
    this.button.addEventListener("click", () => this.toggle());
    for (const name of ["play", "pause", "ended"]) this.audio.addEventListener(name, () => this.showState());
    this.audio.addEventListener("timeupdate", () => this.showTime());
    this.audio.addEventListener("ended", () => this.end());
    this.audio.addEventListener("ratechange", () => {
      if (this.audio.playbackRate !== 1) this.audio.playbackRate = 1;
    });
    this.audio.addEventListener("error", () => this.failed());
    this.seek?.addEventListener("input", () => {
      if (this.heard) this.audio.currentTime = (this.seek.value / 1000) * this.length;
    });
    this.root.querySelector("[data-wave]")?.addEventListener("click", (event) => {
      if (!this.heard) return;
      const box = event.currentTarget.getBoundingClientRect();
      this.audio.currentTime = ((event.clientX - box.left) / box.width) * this.length;
    });
  }

  get length() {
    return Number.isFinite(this.audio.duration) ? this.audio.duration : this.seconds;
  }

  // Fetched whole, it plays on without a connection.
  async fetch() {
    if (this.blob) return;
    const answer = await fetch(this.audio.src);
    if (!answer.ok) throw new Error(`sound: ${answer.status}`);
    this.take(await answer.blob());
  }

  take(blob) {
    if (!this.audio.paused || this.audio.currentTime > 0) return;
    this.blob = URL.createObjectURL(blob);
    this.audio.src = this.blob;
  }

  renew(url) {
    this.release();
    this.audio.src = url;
    this.audio.load();
  }

  async toggle() {
    if (this.audio.paused) await this.play();
    else this.audio.pause();
  }

  async play() {
    this.playedAt = performance.now();
    for (const other of players) if (other !== this) other.audio.pause();
    try {
      await this.audio.play();
    } catch (error) {
      if (error.name === "NotSupportedError") this.failed();
    }
  }

  async replay() {
    this.audio.currentTime = 0;
    await this.play();
  }

  coverage() {
    const { played } = this.audio;
    let heard = 0;
    for (let part = 0; part < played.length; part += 1) heard += played.end(part) - played.start(part);
    return this.length ? heard / this.length : 0;
  }

  end() {
    if (this.coverage() < SHARE) return;
    this.plays += 1;
    if (this.seek) this.seek.disabled = false;
    this.showHeard();
    this.changed();
  }

  showState() {
    const playing = !this.audio.paused && !this.audio.ended;
    this.button.classList.toggle("playing", playing);
    this.button.setAttribute("aria-label", playing ? this.root.dataset.pauseLabel : this.root.dataset.playLabel);
    this.showTime();
    if (playing) this.follow();
  }

  follow() {
    if (this.audio.paused || this.audio.ended) return;
    this.showTime();
    requestAnimationFrame(() => this.follow());
  }

  showTime() {
    const share = this.length ? Math.min(1, this.audio.currentTime / this.length) : 0;
    const reached = Math.round(share * this.bars.length);
    this.bars.forEach((bar, place) => bar.setAttribute("class", place < reached ? "heard" : "ahead"));
    const at = String(480 * share);
    this.line?.setAttribute("x1", at);
    this.line?.setAttribute("x2", at);
    if (this.seek && document.activeElement !== this.seek) this.seek.value = String(1000 * share);
    this.seek?.setAttribute("aria-valuetext", clock(this.audio.currentTime));
    if (this.now) this.now.textContent = clock(this.audio.currentTime);
  }

  showHeard() {
    if (!this.badge) return;
    const { none, once, often } = this.badge.dataset;
    this.badge.textContent = [none, once][this.plays] ?? often.replace("{n}", this.plays);
    this.badge.classList.toggle("ok", this.heard);
  }

  release() {
    this.audio.pause();
    if (this.blob) URL.revokeObjectURL(this.blob);
    this.blob = null;
  }

  forget() {
    this.release();
    players.delete(this);
  }
}
