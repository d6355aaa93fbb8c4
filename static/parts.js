// Large files in parts: hashed here, sent one after the other, gone on with after a broken line, a
// reload or a day. Loaded by submit.js when a file is too large for one request.

const PATIENCE = 20;
const LONGEST_PAUSE = 30;
const PREFIX = "plaudit-upload:";

class Stopped extends Error {}
class Answered extends Error {
  constructor(answer) {
    super("answered");
    this.answer = answer;
  }
}

export const canSendParts = () => Boolean(window.crypto?.subtle && window.localStorage);

const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

const hash = async (blob) => hex(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));

const fill = (text, values) =>
  text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));

export class PartsUpload {
  // `view` has progress(share, text), told when something changes.
  constructor(form, file, view) {
    this.form = form;
    this.file = file;
    this.view = view;
    this.texts = form.querySelector("[data-texts]").dataset;
    this.key = `${PREFIX}${location.pathname}|${file.name}|${file.size}|${file.lastModified}`;
    this.stopped = false;
    this.request = null;
    this.wake = null;
  }

  // Go the whole way. Returns the server's answer, or null after stop().
  async run() {
    try {
      let upload = (await this.known()) || (await this.begin());
      for (;;) {
        await this.sendMissing(upload);
        this.view.progress(null, this.texts.completing);
        const answer = await this.patiently(() => this.call(`${this.place}complete/`, {}));
        if (answer.status !== 409) {
          if (answer.status < 300) localStorage.removeItem(this.key);
          return answer;
        }
        upload = await this.state();
      }
    } catch (error) {
      if (error instanceof Answered) return error.answer;
      if (error instanceof Stopped) return null;
      throw error;
    }
  }

  stop() {
    this.stopped = true;
    this.request?.abort();
    this.wake?.();
  }

  async abort() {
    this.stop();
    localStorage.removeItem(this.key);
    return this.code ? this.call(`${this.place}abort/`, {}) : null;
  }

  set code(code) {
    this.found = code;
    if (code) localStorage.setItem(this.key, code);
    else localStorage.removeItem(this.key);
  }

  get code() {
    return this.found || "";
  }

  get place() {
    return this.form.dataset.upload.replace("CODE", this.code);
  }

  async known() {
    const code = localStorage.getItem(this.key);
    if (!code) return null;
    this.found = code;
    const answer = await this.patiently(() => this.call(this.place));
    // Logged out: the upload is still there for whoever logs in again.
    if (answer.status === 401) throw new Answered(answer);
    const upload = answer.status === 200 && answer.json ? answer.json : null;
    if (upload?.state !== "open") {
      this.code = "";
      return null;
    }
    const { system, note } = this.form.elements;
    return upload.system === system.value.trim() && upload.note === note.value.trim() ? upload : null;
  }

  async begin() {
    const size = Number(this.form.dataset.partBytes);
    const parts = [];
    for (let start = 0; start < this.file.size; start += size) {
      this.check();
      parts.push(await hash(this.file.slice(start, start + size)));
      this.view.progress(start / this.file.size, this.texts.reading);
    }
    const { system, note } = this.form.elements;
    const fields = {
      system: system.value,
      note: note.value,
      filename: this.file.name,
      size: this.file.size,
      parts: parts.join(","),
    };
    const answer = await this.patiently(() => this.call(this.form.dataset.uploads, fields));
    if (!answer.json) throw new Answered(answer);
    this.code = answer.json.code;
    return answer.json;
  }

  async state() {
    const answer = await this.patiently(() => this.call(this.place));
    if (!answer.json) throw new Answered(answer);
    if (answer.json.state !== "open") {
      this.code = "";
      throw new Answered({ status: 0, text: this.texts.ended });
    }
    return answer.json;
  }

  async sendMissing(upload) {
    let failures = 0;
    while (upload.missing.length) {
      let left = upload.missing.length;
      for (const part of upload.parts) {
        this.check();
        const done = this.file.size - left * upload.part_size;
        if (!(await this.put(part, Math.max(0, done)))) {
          failures += 1;
          break;
        }
        failures = 0;
        left -= 1;
      }
      if (failures) await this.waitForLine(failures);
      upload = await this.state();
    }
  }

  async put(part, done) {
    const blob = this.file.slice(part.offset, part.offset + part.size);
    const status = await this.send(part, blob, done);
    if (status >= 400 && status < 500 && (await hash(blob)) !== part.sha256) {
      this.code = "";
      throw new Answered({ status: 0, text: this.texts.changed });
    }
    return status >= 200 && status < 300;
  }

  send(part, blob, done) {
    const total = this.file.size;
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("PUT", part.url);
      for (const [name, value] of Object.entries(part.headers)) {
        request.setRequestHeader(name, value);
      }
      request.upload.addEventListener("progress", (event) =>
        this.view.progress((done + event.loaded) / total, "", done + event.loaded),
      );
      request.addEventListener("load", () => resolve(request.status));
      for (const name of ["error", "abort", "timeout"]) {
        request.addEventListener(name, () => resolve(0));
      }
      request.timeout = 10 * 60 * 1000;
      // A type of its own would be one more thing for the bucket to agree to.
      request.send(new Blob([blob]));
    });
  }

  // Do a call until the server answers it at all; 5xx counts as no answer.
  async patiently(act) {
    for (let failures = 1; ; failures += 1) {
      this.check();
      try {
        const answer = await act();
        if (answer.status < 500) return answer;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // what fetch throws for a broken line
      }
      await this.waitForLine(failures);
    }
  }

  async call(address, fields) {
    const headers = { "X-Fragment": "outcome" };
    const options = { headers, redirect: "follow" };
    if (fields) {
      options.method = "POST";
      options.body = new URLSearchParams(fields);
      headers["X-CSRFToken"] = this.form.elements.csrfmiddlewaretoken.value;
    }
    const response = await fetch(address, options);
    const text = await response.text();
    const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
    return {
      status: response.status,
      text,
      json: isJson && response.ok ? JSON.parse(text) : null,
      place: response.headers.get("Content-Location"),
      isFragment: Boolean(response.headers.get("X-Fragment")),
    };
  }

  async waitForLine(failures) {
    this.check();
    if (failures >= PATIENCE) throw new Answered({ status: 0, text: this.texts.given });
    if (!navigator.onLine) {
      this.view.progress(null, this.texts.offline);
      await this.sleep((wake) => window.addEventListener("online", wake, { once: true }));
      return;
    }
    const seconds = Math.min(LONGEST_PAUSE, 0.5 * 2 ** (failures - 1));
    if (seconds >= 1) {
      this.view.progress(null, fill(this.texts.retry, { seconds: Math.round(seconds) }));
    }
    await this.sleep((wake) => setTimeout(wake, seconds * 1000));
  }

  async sleep(arrange) {
    await new Promise((resolve) => {
      this.wake = resolve;
      arrange(resolve);
    });
    this.wake = null;
    this.check();
  }

  check() {
    if (this.stopped) throw new Stopped();
  }
}
