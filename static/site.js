// What scripts add to every page: running countdowns, times in the reader's own zone, copying,
// and acts that stay locked until their name is typed. Every page works without this file.

const SECOND = 1000;

function endClock(node) {
  node.textContent = node.dataset.over;
  node.classList.remove("urgent");
  node.removeAttribute("aria-label");
  if ("closes" in node.dataset) document.dispatchEvent(new CustomEvent("phase-closed"));
}

function startClock(node) {
  const until = Date.parse(node.dataset.until);
  // The server's clock decides: the reader's clock only measures how long the page has been open.
  const skew = Date.parse(node.dataset.now) - Date.now();
  const parts = {
    days: node.querySelector("[data-days]"),
    hours: node.querySelector("[data-hours]"),
    minutes: node.querySelector("[data-minutes]"),
    seconds: node.querySelector("[data-seconds]"),
  };
  const lastHour = node.querySelector("[data-last-hour]");
  const show = () => {
    const left = Math.max(0, Math.floor((until - Date.now() - skew) / SECOND));
    const values = {
      days: Math.floor(left / 86400),
      hours: Math.floor(left / 3600) % 24,
      minutes: Math.floor(left / 60) % 60,
      seconds: left % 60,
    };
    for (const [name, part] of Object.entries(parts)) {
      const text = String(values[name]);
      if (part && part.textContent !== text) part.textContent = text;
    }
    node.classList.toggle("urgent", left < 86400);
    if (lastHour) lastHour.hidden = left >= 3600;
    if (left > 0) setTimeout(show, SECOND);
    else endClock(node);
  };
  show();
}

function localTime(iso, withZone) {
  const options = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (withZone) options.timeZoneName = "short";
  return new Intl.DateTimeFormat(document.documentElement.lang || "en", options).format(new Date(iso));
}

function showLocal(root) {
  const isUtc = new Date().getTimezoneOffset() === 0;
  for (const node of root.querySelectorAll("[data-local]")) {
    if (isUtc || node.childNodes.length) continue;
    const dot = document.createElement("span");
    dot.className = "dot";
    dot.textContent = " · ";
    node.append(dot, localTime(node.dataset.local, true));
  }
  for (const node of root.querySelectorAll("time[datetime]:not([title])")) {
    node.title = localTime(node.dateTime, true);
  }
}

function enableCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.value ?? source.textContent.trim());
    const note = button.querySelector("[data-done]");
    if (note) note.hidden = false;
  });
}

function lockUntilTyped(input) {
  const button = input.form?.querySelector("[data-locked]");
  if (!button) return;
  const check = () => {
    button.disabled = input.value.trim() !== input.dataset.confirm;
  };
  input.addEventListener("input", check);
  check();
}

function enhance(root) {
  root.querySelectorAll("[data-until]").forEach(startClock);
  root.querySelectorAll("button[data-copy]").forEach(enableCopy);
  root.querySelectorAll("input[data-confirm]").forEach(lockUntilTyped);
  showLocal(root);
}

// What refreshes itself rests while nobody looks at it, and asks at once when somebody does again.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.target.matches("[data-poll]")) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const node of document.querySelectorAll("[data-poll]")) window.htmx?.trigger(node, "seen");
});

enhance(document);
document.querySelector("[data-focus]")?.focus();
document.addEventListener("htmx:afterSwap", (event) => enhance(event.target));
