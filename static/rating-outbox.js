// What was marked and has not reached the server yet, kept on this device: drafts, and answers that
// are sent in their order until the server has each of them. Tabs share it, and a closed one leaves it.

const PATIENCE = [1, 2, 5, 10, 20];

export function newUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// The token of the log-in as it is now: another tab may have logged in anew.
export function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => /^(__Host-|__Secure-)?csrftoken=/.test(part));
  return cookie?.split("=")[1] ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export function post(url, fields) {
  return fetch(url, {
    method: "POST",
    headers: { "X-CSRFToken": csrfToken(), "X-Fragment": "rating" },
    body: new URLSearchParams(fields),
    keepalive: true, // what is sent while a tab closes arrives all the same
  });
}

export class Outbox {
  // `told(kind, entry, data)`: sent, refused, login, offline, soon, trouble.
  constructor(place, told) {
    this.prefix = `plaudit-rating:${place}:`;
    this.told = told;
    this.busy = null;
    this.failures = 0;
    this.timer = null;
    window.addEventListener("online", () => this.flush());
    window.addEventListener("storage", (event) => this.hear(event));
    this.heard = () => {};
  }

  read(kind, task) {
    const kept = localStorage.getItem(`${this.prefix}${kind}:${task}`);
    return kept ? JSON.parse(kept) : null;
  }

  write(kind, task, value) {
    try {
      localStorage.setItem(`${this.prefix}${kind}:${task}`, JSON.stringify(value));
    } catch (error) {
      console.error(error); // full or forbidden: the server still has what was saved
    }
  }

  drop(kind, task) {
    localStorage.removeItem(`${this.prefix}${kind}:${task}`);
  }

  // One name for an answer, whichever tab sends it.
  uuidOf(task) {
    const known = this.read("uuid", task);
    if (known) return known;
    const made = newUuid();
    this.write("uuid", task, made);
    return made;
  }

  put(task, url, fields) {
    this.write("answer", task, { task, url, fields, at: Date.now() });
    this.drop("draft", task);
    return this.flush();
  }

  isWaiting(task) {
    return this.read("answer", task) !== null;
  }

  entries() {
    const begin = `${this.prefix}answer:`;
    const names = Object.keys(localStorage).filter((name) => name.startsWith(begin));
    const found = names.map((name) => JSON.parse(localStorage.getItem(name))).filter(Boolean);
    return found.sort((a, b) => a.at - b.at);
  }

  flush() {
    clearTimeout(this.timer);
    this.busy ??= this.sendAll().finally(() => {
      this.busy = null;
    });
    return this.busy;
  }

  // Returns whether everything was sent.
  async sendAll() {
    for (let entry = this.entries()[0]; entry; entry = this.entries()[0]) {
      if (!(await this.send(entry))) return false;
      this.failures = 0;
    }
    return true;
  }

  async send(entry) {
    let answer;
    try {
      answer = await post(entry.url, entry.fields);
    } catch {
      this.told("offline", entry);
      this.again(PATIENCE[Math.min(this.failures++, PATIENCE.length - 1)]);
      return false;
    }
    const data = await answer.json().catch(() => ({}));
    // a page's token that is too old is answered without a code, as a log-in that has ended is
    if (answer.status === 401 || (answer.status === 403 && !data.code)) {
      this.told("login", entry);
      return false;
    }
    if (answer.status >= 500 || answer.status === 429) {
      this.told("trouble", entry);
      this.again(PATIENCE[Math.min(this.failures++, PATIENCE.length - 1)]);
      return false;
    }
    if (data.code === "TOO_EARLY" || data.code === "NOT_DELIVERED" || data.code === "TASK_NOT_OPEN") {
      this.told("soon", entry, data);
      this.again(data.seconds_left ?? 1);
      return false;
    }
    this.settle(entry);
    // the server opens the next clip before it takes the answer to it
    await this.told(answer.ok ? "sent" : "refused", entry, data);
    return true;
  }

  settle(entry) {
    this.drop("answer", entry.task);
    this.drop("draft", entry.task);
    this.drop("uuid", entry.task);
  }

  again(seconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), 1000 * seconds);
  }

  hear(event) {
    if (!event.key?.startsWith(this.prefix)) return;
    const [kind, task] = event.key.slice(this.prefix.length).split(":");
    this.heard(kind, task, event.newValue ? JSON.parse(event.newValue) : null);
  }
}
