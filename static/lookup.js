// "Who has this file?": a file that is chosen is hashed here and looked up by its hash; it is not sent.

import { Sha256 } from "./hashing.js";

const PIECE = 4 * 1024 * 1024;

async function hashOf(file, show) {
  const sum = new Sha256();
  for (let start = 0; start < file.size; start += PIECE) {
    const piece = file.slice(start, start + PIECE);
    sum.update(new Uint8Array(await piece.arrayBuffer()));
    show(Math.min(1, (start + PIECE) / file.size));
  }
  return sum.hex();
}

for (const form of document.querySelectorAll("[data-lookup]")) {
  const [field, chooser, told] = ["[name=sha256]", "[type=file]", "[role=status]"].map((one) =>
    form.querySelector(one),
  );
  chooser.closest("[hidden]").hidden = false;
  let latest = null;
  chooser.addEventListener("change", async () => {
    const file = chooser.files[0];
    latest = file;
    if (!file) return;
    let found = "";
    try {
      found = await hashOf(file, (share) => {
        if (latest === file) told.textContent = `${told.dataset.reading} ${Math.round(100 * share)} %`;
      });
    } catch (error) {
      if (latest === file) told.textContent = told.dataset.unread;
    }
    if (!found || latest !== file) return; // unread, or another file was chosen meanwhile
    field.value = found;
    form.requestSubmit();
  });
}
