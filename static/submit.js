// The submit page with scripts: drop a file, watch the upload, keep the form when it is refused.
// Without this file the form is an ordinary one.

const form = document.getElementById("upload");
const outcome = document.getElementById("outcome");
const input = form.elements.file;
const drop = form.querySelector("[data-drop]");
const hint = form.querySelector("[data-hint]");
const sending = form.querySelector("[data-sending]");
const bar = sending.querySelector("progress");
const sent = sending.querySelector("[data-sent]");
const limit = Number(form.dataset.limit);
const singleBytes = Number(form.dataset.single);
const plainHint = hint.textContent;
const giveUp = sending.querySelector("[data-give-up]");
let request = null;
let parts = null;

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1).replace(/\.0$/, "")} ${units[unit]}`;
}

function tell(text) {
  const box = document.createElement("div");
  box.className = "notice bad";
  box.setAttribute("role", "alert");
  box.tabIndex = -1;
  const line = document.createElement("p");
  line.textContent = text;
  box.append(line);
  outcome.replaceChildren(box);
  box.focus();
}

function faultOf(file) {
  if (file.size === 0) return form.dataset.empty;
  if (file.size > limit) return form.dataset.tooLarge;
  return "";
}

function faultOfCheck(file) {
  return file.size > Number(form.dataset.checkLimit) ? form.dataset.tooLargeToCheck : "";
}

function showFile() {
  const file = input.files[0];
  hint.textContent = file ? `${file.name} · ${size(file.size)}` : plainHint;
  drop.classList.toggle("chosen", Boolean(file));
}

function lock(locked) {
  sending.hidden = !locked;
  for (const button of form.querySelectorAll("button[type=submit]:not([aria-describedby])")) {
    button.disabled = locked;
  }
}

// `answer`: status, text, and place, isFragment where the server gave them.
function finish(answer) {
  lock(false);
  if (answer.place && answer.status < 300) {
    window.location.assign(answer.place);
    return;
  }
  if (answer.isFragment) {
    outcome.innerHTML = answer.text;
    const box = outcome.querySelector("[data-outcome]");
    if (box && "keep" in box.dataset) keepTyped();
    if (box?.dataset.key) form.elements.idempotency_key.value = box.dataset.key;
    box?.focus();
    return;
  }
  tell(wordsFor(answer));
}

// What is said where no page of ours answered: the guard in front of it, a proxy, nobody.
function wordsFor(answer) {
  if (answer.status === 0) return answer.text;
  if (answer.status === 413) return form.dataset.tooLarge;
  if (answer.status === 400 || answer.status === 408) return form.dataset.broken;
  return answer.status === 404 ? form.dataset.gone : form.dataset.server;
}

// What was typed outlives a log-in and a page loaded anew, in this tab alone.
const TYPED = `plaudit-typed:${location.pathname}`;

function keepTyped() {
  const { system, note } = form.elements;
  sessionStorage.setItem(TYPED, JSON.stringify({ system: system.value, note: note.value }));
}

function restoreTyped() {
  const kept = sessionStorage.getItem(TYPED);
  if (!kept) return;
  sessionStorage.removeItem(TYPED);
  for (const [name, value] of Object.entries(JSON.parse(kept))) {
    if (!form.elements[name].value) form.elements[name].value = value;
  }
}

function answerOf(done) {
  return {
    status: done.status,
    text: done.responseText,
    place: done.getResponseHeader("Content-Location"),
    isFragment: Boolean(done.getResponseHeader("X-Fragment")),
  };
}

async function sendParts(file) {
  giveUp.hidden = false;
  sent.textContent = "";
  bar.value = 0;
  lock(true);
  try {
    const { PartsUpload, canSendParts } = await import(form.dataset.parts);
    if (!canSendParts()) {
      send(form.action);
      return;
    }
    parts = new PartsUpload(form, file, { progress: showParts });
    const answer = await parts.run();
    if (answer) finish(answer);
  } catch (error) {
    console.error(error);
    finish({ status: 0, text: form.dataset.broken });
  } finally {
    parts = null;
    giveUp.hidden = true;
  }
}

function showParts(share, text, bytes) {
  if (share !== null) bar.value = 100 * share;
  const total = size(input.files[0]?.size ?? 0);
  sent.textContent = text || `${size(bytes)} / ${total}`;
}

function stop() {
  if (!parts) {
    request?.abort();
    return;
  }
  parts.stop();
  lock(false);
  tell(form.querySelector("[data-texts]").dataset.stopped);
}

async function abandon() {
  const ended = parts;
  lock(false);
  await ended?.abort().catch(() => null);
  tell(form.querySelector("[data-texts]").dataset.aborted);
}

function send(action) {
  const started = performance.now();
  request = new XMLHttpRequest();
  request.open("POST", action);
  request.setRequestHeader("X-Fragment", "outcome");
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    const speed = event.loaded / Math.max(0.1, (performance.now() - started) / 1000);
    bar.value = (100 * event.loaded) / event.total;
    sent.textContent = `${size(event.loaded)} / ${size(event.total)} · ${size(speed)}/s`;
  });
  request.upload.addEventListener("load", () => bar.removeAttribute("value"));
  request.addEventListener("load", () => finish(answerOf(request)));
  const broken = (text) => () => {
    lock(false);
    tell(text);
  };
  request.addEventListener("error", broken(form.dataset.broken));
  request.addEventListener("timeout", broken(form.dataset.broken));
  request.addEventListener("abort", broken(form.dataset.stopped));
  bar.value = 0;
  sent.textContent = "";
  const body = new FormData(form);
  lock(true);
  request.send(body);
}

form.addEventListener("submit", (event) => {
  const file = input.files[0];
  if (!file) return;
  event.preventDefault();
  const isCheck = event.submitter?.hasAttribute("data-check");
  const fault = faultOf(file) || (isCheck && faultOfCheck(file));
  if (fault) {
    tell(fault);
    return;
  }
  if (file.size > singleBytes && !isCheck) sendParts(file);
  else send(event.submitter?.formAction || form.action);
});
sending.querySelector("[data-stop]").addEventListener("click", stop);
giveUp.addEventListener("click", abandon);
input.addEventListener("change", showFile);
restoreTyped();

// The clock on this page has run out: what is under way goes on, nothing new begins.
document.addEventListener("phase-closed", () => {
  const button = form.querySelector("button[type=submit]:not([data-check])");
  if (button.hasAttribute("aria-describedby")) return;
  button.disabled = true;
  button.setAttribute("aria-describedby", "closed");
  const note = form.querySelector("#closed");
  note.hidden = false;
});

for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) {
  drop.addEventListener(name, () => drop.classList.remove("over"));
}
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length !== 1) {
    tell(hint.textContent);
    return;
  }
  input.files = event.dataTransfer.files;
  showFile();
});
