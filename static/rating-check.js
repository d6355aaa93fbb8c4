// Large play buttons for sounds that need no more: the headphones check, and a clip that was practiced.

const root = document.getElementById("check");
const { Player } = await import(root.dataset.player);

for (const part of root.querySelectorAll("div[data-player]")) new Player(part, { plays: 1 });
document.documentElement.dataset.ready = "check";
