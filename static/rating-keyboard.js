// Keys of the form. They can be switched off, since single letters may be somebody's own commands.

const SWITCH = "plaudit-rating-keys";
const NATIVE = "a, button, summary, select, textarea, input:not([type=radio], [type=range])";

export class Keyboard {
  // `acts`: play, replay, send, broken; `form()` gives the form that is on the page.
  constructor(acts, form) {
    this.acts = acts;
    this.form = form;
    this.dialog = document.querySelector("[data-keys-dialog]");
    this.box = this.dialog.querySelector("[data-keys-on]");
    this.box.checked = localStorage.getItem(SWITCH) !== "off";
    this.box.addEventListener("change", () => {
      localStorage.setItem(SWITCH, this.box.checked ? "on" : "off");
    });
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-show-keys]")) this.dialog.showModal();
    });
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (!this.box.checked || document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target.matches("textarea, input[type=text], input[type=email], input[type=password]")) return;
    const act = this.actOf(event.key, target);
    if (!act) return;
    event.preventDefault();
    act();
  }

  actOf(key, target) {
    const isNative = target.matches(NATIVE);
    if (key === " ") return isNative ? null : this.acts.play;
    if (key === "Enter") return isNative ? null : this.acts.send;
    if (key === "ArrowUp" || key === "ArrowDown") {
      return target.matches("[type=range]") ? null : () => this.move(key === "ArrowUp" ? -1 : 1);
    }
    if (/^[0-9]$/.test(key)) return () => this.mark(Number(key));
    const letters = { r: this.acts.replay, f: this.acts.broken, "?": () => this.dialog.showModal() };
    return letters[key.toLowerCase()] ?? null;
  }

  rows() {
    return [...this.form().querySelectorAll("[data-row]")];
  }

  current() {
    return document.activeElement?.closest("[data-row]");
  }

  move(step) {
    const rows = this.rows();
    const at = rows.indexOf(this.current());
    const next = at < 0 ? rows.find((row) => !this.chosen(row)) ?? rows[0] : rows[at + step];
    if (next) this.focus(next);
  }

  chosen(row) {
    return row.querySelector("input:checked");
  }

  focus(row) {
    (this.chosen(row) ?? row.querySelector("input")).focus();
  }

  // On a vocalization the digits count its three answers, on a scale of comparisons the levels from the
  // lowest; on others they are the mark itself.
  mark(digit) {
    const rows = this.rows();
    const row = this.current() ?? rows.find((one) => !this.chosen(one));
    if (!row) return;
    const input = row.matches(".target, [data-counts]")
      ? row.querySelectorAll("input")[digit - 1]
      : row.querySelector(`input[value="${digit}"]`);
    if (!input) return;
    const wasEmpty = !this.chosen(row);
    input.focus();
    input.click();
    const next = rows.slice(rows.indexOf(row) + 1).find((one) => !this.chosen(one));
    if (wasEmpty && next) this.focus(next);
  }
}
