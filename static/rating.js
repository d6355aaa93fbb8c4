// The rating form with scripts: the next clip is there when an answer goes out, everything is saved
// while it is marked, and a lost connection or log-in loses nothing. Without this file the form is
// an ordinary one.

const root = document.querySelector("[data-rating]");
const words = document.querySelector("[data-words]").dataset;
const [{ Player }, { Outbox, csrfToken, post }, { Keyboard }] = await Promise.all([
  import(root.dataset.player),
  import(root.dataset.outbox),
  import(root.dataset.keyboard),
]);

const SAVE_AFTER = 1000;
const BEAT_EVERY = 30_000;
const PLAYS = ["plays", "plays2"]; // the fields that count how often each sound was heard in full
const ALONE = "alone" in root.dataset; // practice, or one answer that is changed: sent as any form is
const GONE = new Set(["TASK_ENDED", "TASK_UNKNOWN", "UUID_REUSED", "ALREADY_REPORTED"]);
const MENDABLE = new Set(["MARKS_REFUSED", "PLACEMENTS_INVALID", "NOTE_TOO_LONG"]);
const sounds = new Map();
let desk = null;
const sent = new Set(); // clips that were answered here, whatever an older word of the server says
let refreshing = Promise.resolve();

const slot = (name, from = root) => from.querySelector(`[data-slot=${name}]`);
const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// What is said above the form, one notice of a kind at a time.
function tell(kind, text, { level = "", action = null } = {}) {
  const box = slot("banners");
  box.querySelector(`[data-kind=${kind}]`)?.remove();
  if (!text) return;
  const notice = document.createElement("div");
  notice.className = `notice ${level}`;
  notice.dataset.kind = kind;
  const line = document.createElement("p");
  line.textContent = text;
  notice.append(line);
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small-button";
    button.textContent = action.words;
    button.addEventListener("click", action.act);
    notice.append(button);
  }
  box.append(notice);
}

function showSaved(onServer) {
  const place = root.querySelector("[data-saved]");
  const time = new Date().toLocaleTimeString(document.documentElement.lang, { hourCycle: "h23" });
  const text = onServer ? place.dataset.text.replace("{time}", time) : place.dataset.local;
  place.textContent = ` · ${text}`;
}

class Desk {
  constructor(form) {
    this.form = form;
    this.task = form.dataset.task;
    this.timer = null;
    if (!ALONE) form.elements.uuid.value = outbox.uuidOf(this.task);
    const draft = ALONE ? null : outbox.read("draft", this.task);
    this.players = [...form.querySelectorAll("[data-player]")].map((player, part) => new Player(player, {
      plays: Number(draft?.[PLAYS[part]] ?? player.dataset.plays) || 0,
      changed: () => this.changed(),
      failed: () => this.fail(),
    }));
    if (draft && draft.at > (Number(form.dataset.kept) || 0)) this.apply(draft);
    form.noValidate = true;
    form.addEventListener("change", (event) => {
      this.pair(event.target);
      this.changed();
    });
    form.addEventListener("input", (event) => event.target.matches("textarea") && this.changed());
    form.addEventListener("submit", (event) => this.submit(event));
    form.querySelector("[data-keys]").hidden = false;
    this.load();
    this.show();
  }

  async load() {
    const ready = sounds.get(this.task) ?? [];
    sounds.delete(this.task);
    for (const [part, player] of this.players.entries()) {
      if (ready[part]) player.take(ready[part]);
      else await player.fetch().catch(() => null); // played from its address then, or told when that fails
    }
  }

  async fail() {
    if (this.failing || ALONE) return;
    this.failing = true;
    await refresh({ renew: true });
    setTimeout(() => {
      this.failing = false;
      if (!this.players.some((player) => player.audio.error)) return;
      tell("sound", words.unheard, { level: "warn", action: { words: words.retry, act: () => this.retry() } });
    }, 1500);
  }

  async retry() {
    tell("sound", "");
    await refresh({ renew: true });
  }

  get rows() {
    return [...this.form.querySelectorAll("[data-row]")];
  }

  missing() {
    return this.rows.filter((row) => !row.querySelector("input:checked"));
  }

  get isReady() {
    return this.heard && !this.missing().length;
  }

  get heard() {
    return this.players.every((player) => player.heard);
  }

  // Of two sounds the one that plays, else the one that is not heard yet, else the one played last.
  get player() {
    const playing = this.players.find((player) => !player.audio.paused);
    return playing ?? this.players.find((player) => !player.heard) ?? this.lastPlayed;
  }

  get lastPlayed() {
    return this.players.reduce((one, other) => (other.playedAt > one.playedAt ? other : one));
  }

  plays() {
    return Object.fromEntries(this.players.map((player, part) => [PLAYS[part], String(player.plays)]));
  }

  // Nothing was heard, or something was: the box and the two marks say the same.
  pair(input) {
    const { absent, A, P } = this.form.elements;
    if (!absent || !["absent", "A", "P"].includes(input.name)) return;
    const isAbsent = input === absent ? absent.checked : input.value === "0";
    absent.checked = isAbsent;
    for (const scale of [A, P]) {
      if (isAbsent) scale.value = "0";
      else if (scale.value === "0") this.clear(scale);
    }
  }

  clear(scale) {
    for (const radio of scale) radio.checked = false;
  }

  fields() {
    const { csrfmiddlewaretoken: _, ...given } = Object.fromEntries(new FormData(this.form));
    return { ...given, ...this.plays() };
  }

  apply(draft) {
    for (const input of this.form.querySelectorAll("input[type=radio]")) {
      input.checked = draft[input.name] === input.value;
    }
    if (this.form.elements.absent) this.form.elements.absent.checked = draft.absent === "on";
    if (document.activeElement !== this.form.elements.note) this.form.elements.note.value = draft.note ?? "";
    for (const [part, player] of this.players.entries()) {
      player.plays = Math.max(player.plays, Number(draft[PLAYS[part]]) || 0);
      player.showHeard();
    }
    this.show();
  }

  changed() {
    this.show();
    for (const [name, count] of Object.entries(this.plays())) this.form.elements[name].value = count;
    if (ALONE) return;
    this.draft = { ...this.fields(), at: Date.now() };
    outbox.write("draft", this.task, this.draft);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), SAVE_AFTER);
  }

  async save() {
    clearTimeout(this.timer);
    if (!this.draft || outbox.isWaiting(this.task)) return;
    try {
      const answer = await post(this.form.dataset.draft, this.draft);
      if (answer.status === 401) askLogin();
      if (answer.status === 409) await beat();
      if (desk === this) showSaved(answer.ok);
    } catch {
      showOffline();
      if (desk === this) showSaved(false);
    }
  }

  show() {
    const why = this.form.querySelector("[data-why]");
    const button = this.form.querySelector("[data-send]");
    const missing = this.missing().map((row) => row.dataset.title ?? row.querySelector("legend").textContent.trim());
    button.disabled = !this.isReady;
    let text = words.ready;
    if (missing.length) text = words.missing.replace("{names}", new Intl.ListFormat(document.documentElement.lang).format(missing));
    if (!this.heard) text = this.form.dataset.listen;
    if (why.textContent !== text) why.textContent = text;
  }

  submit(event) {
    if (ALONE && this.isReady) return;
    event.preventDefault();
    if (event.submitter?.hasAttribute("data-broken")) askBroken();
    else send();
  }

  leave() {
    clearTimeout(this.timer);
    this.draft = null;
    for (const player of this.players) player.forget();
  }
}

function show(form) {
  desk?.leave();
  desk = new Desk(form);
}

// Puts the clip that was fetched ahead on the page, before the server has the answer to the last one.
function next() {
  const ahead = slot("ahead").querySelector("template");
  for (const said of ["online", "elsewhere", "refused", "late", "sound"]) tell(said, "");
  desk.leave();
  desk.form.inert = true;
  slot("ahead").replaceChildren();
  const form = ahead?.content.querySelector("[data-desk]");
  if (!form || outbox.isWaiting(form.dataset.task)) {
    tell("waiting", navigator.onLine ? words.sending : words.waiting);
    return;
  }
  slot("desk").replaceChildren(form);
  show(form);
  countOn();
  root.querySelector("[data-heading]").focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

// The numbers on top, until the server says them anew.
function countOn() {
  const heading = root.querySelector("[data-heading]");
  heading.textContent = heading.textContent.replace(/\d+/, (number) => String(Number(number) + 1));
  const bar = slot("head").querySelector("progress");
  bar.value += 1;
  slot("head").querySelector("[data-done]").textContent = String(bar.value);
}

function send() {
  if (!desk || desk.form.inert || !desk.isReady) return;
  if (ALONE) {
    desk.form.requestSubmit();
    return;
  }
  const { task, form } = desk;
  const fields = desk.fields();
  sent.add(task);
  next();
  outbox.put(task, form.action, fields);
}

// The server's word on which clip is open, which is fetched ahead, and how far the sitting is. Asked
// one after the other and each time anew: what was asked before an answer arrived knows nothing of it.
function refresh(options = {}) {
  refreshing = refreshing.then(() => load(options)).catch((error) => console.error(error));
  return refreshing;
}

async function load({ renew = false } = {}) {
  let answer;
  try {
    answer = await fetch(root.dataset.live, { headers: { "X-Fragment": "rating" } });
  } catch {
    showOffline();
    return;
  }
  if (answer.status === 401) {
    askLogin();
    return;
  }
  const place = answer.headers.get("Content-Location");
  if (place) window.location.assign(place);
  else if (answer.ok) take(parse(await answer.text()), renew);
  else tell("trouble", words.trouble, { level: "warn", action: { words: words.retry, act: () => refresh() } });
}

function take(page, renew) {
  const hadFocus = document.activeElement?.matches("[data-heading]");
  const form = page.querySelector("[data-slot=desk] [data-desk]");
  const { task } = form.dataset;
  if (outbox.isWaiting(task) || sent.has(task)) return; // another look follows the answer
  const wasOpen = slot("recent").querySelector("details")?.open;
  for (const name of ["head", "break", "ahead", "recent"]) {
    slot(name).replaceChildren(...slot(name, page).childNodes);
  }
  slot("recent").querySelector("details")?.toggleAttribute("open", wasOpen === true);
  tell("waiting", "");
  tell("trouble", "");
  if (desk.task !== task || desk.form.inert) {
    slot("desk").replaceChildren(form);
    show(form);
    tell("late", "");
  } else if (renew || desk.players.some((player) => !player.blob)) {
    for (const [part, { src }] of form.querySelectorAll("[data-audio]").entries()) {
      const player = desk.players[part];
      if (renew || (!player.blob && player.audio.src !== src)) player.renew(src);
    }
    desk.load();
  }
  if (hadFocus) root.querySelector("[data-heading]").focus({ preventScroll: true });
  fetchAhead();
}

async function fetchAhead() {
  const form = slot("ahead").querySelector("template")?.content.querySelector("[data-desk]");
  if (!form || sounds.has(form.dataset.task)) return;
  const found = [];
  for (const { src } of form.querySelectorAll("[data-audio]")) {
    const answer = await fetch(src).catch(() => null);
    if (!answer?.ok) return;
    found.push(await answer.blob());
  }
  sounds.set(form.dataset.task, found);
}

async function beat() {
  if (document.hidden || !desk || outbox.isWaiting(desk.task)) return;
  const answer = await post(root.dataset.beat, { task: desk.task }).catch(() => null);
  if (answer === null) showOffline();
  else if (answer.status === 401) askLogin();
  else if (answer.status === 409) await judge(await answer.json());
  else if (answer.ok) tell("late", "");
}

// Whether the clip on the page may still be answered, or was elsewhere.
async function judge(found) {
  if (found.code === "TASK_ENDED" && found.answered) {
    tell("elsewhere", words.elsewhere);
    await refresh();
  } else if (found.code === "TASK_ENDED") {
    tell("late", words.late, { level: "warn", action: { words: words.next, act: () => refresh() } });
  } else window.location.assign(root.dataset.live);
}

function showOffline() {
  tell("online", "");
  tell("offline", words.offline, { level: "warn" });
}

async function comeBack() {
  const all = await outbox.flush();
  if (all) await refresh();
}

async function told(kind, entry, data = {}) {
  if (kind !== "offline" && slot("banners").querySelector("[data-kind=offline]")) {
    tell("offline", "");
    if (kind === "sent") tell("online", words.online);
  }
  tell("soon", kind === "soon" ? words.soon : "");
  tell("trouble", kind === "trouble" ? words.trouble : "", { level: "warn" });
  if (kind === "offline") showOffline();
  if (kind === "soon") refresh();
  if (kind === "login") askLogin();
  if (kind === "sent") await refresh();
  if (kind === "refused") await refuse(entry, data);
}

async function refuse(entry, data) {
  sent.delete(entry.task);
  if (GONE.has(data.code)) {
    tell("elsewhere", words.elsewhere);
    await refresh();
  } else if (MENDABLE.has(data.code)) {
    outbox.write("draft", entry.task, { ...entry.fields, at: Date.now() });
    tell("refused", data.message, { level: "bad" });
    await refresh();
  } else window.location.assign(root.dataset.live);
}

// Another tab marks the same clip, or has sent it.
function hear(kind, task, value) {
  if (desk?.task !== task) {
    if (kind === "answer" && !value && desk?.form.inert) refresh();
    return;
  }
  if (kind === "draft" && value) desk.apply(value);
  if (kind === "answer" && value && !desk.form.inert) {
    sent.add(task);
    next();
    tell("elsewhere", words.elsewhere);
  }
  if (kind === "answer" && !value) refresh();
}

const loginDialog = document.querySelector("[data-login-dialog]");
const loginForm = loginDialog?.querySelector("[data-login-form]");

function askLogin() {
  if (!loginDialog.open) loginDialog.showModal();
}

async function logIn() {
  const fault = loginForm.querySelector("[data-login-fault]");
  fault.textContent = "";
  const page = await fetch(root.dataset.login);
  let done = page.redirected; // logged in already, in another tab
  if (!done) {
    const { value } = parse(await page.text()).querySelector("[name=csrfmiddlewaretoken]");
    const fields = Object.fromEntries(new FormData(loginForm));
    const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: value });
    const answer = await fetch(loginForm.action, { method: "POST", body });
    done = answer.redirected;
    if (!done) fault.textContent = parse(await answer.text()).querySelector("main .notice p, main p")?.textContent ?? "";
  }
  if (!done) return;
  loginForm.reset();
  loginDialog.close();
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = csrfToken();
  await desk?.save();
  await comeBack();
}

loginForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn().catch(showOffline);
});

const brokenDialog = document.querySelector("[data-broken-dialog]");

function askBroken() {
  if (desk && !desk.form.inert) brokenDialog?.showModal();
}

brokenDialog?.querySelector("form").addEventListener("submit", (event) => {
  if (event.submitter?.value !== "broken") return;
  const { task, form } = desk;
  const url = form.querySelector("[data-broken]").formAction;
  const note = brokenDialog.querySelector("textarea").value;
  brokenDialog.querySelector("form").reset();
  sent.add(task);
  next();
  outbox.put(task, url, { note, sure: "1" });
});

const outbox = ALONE ? null : new Outbox(root.dataset.place, told);
new Keyboard(
  { play: () => desk.player.toggle(), replay: () => desk.lastPlayed.replay(), send, broken: askBroken },
  () => desk.form,
);
show(slot("desk").querySelector("[data-desk]"));
if (!ALONE) keepUp();
document.documentElement.dataset.ready = "rating";

function keepUp() {
  outbox.heard = hear;
  if (outbox.isWaiting(desk.task)) next();
  if (outbox.entries().length) comeBack();
  fetchAhead();
  setInterval(beat, BEAT_EVERY);
  window.addEventListener("offline", showOffline);
  window.addEventListener("online", comeBack);
  window.addEventListener("pagehide", () => desk?.save());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    beat();
    if (outbox.entries().length) comeBack();
  });
}
