// The theme; and the page is put together.

function theme() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const tell = () => {
    button.textContent = isDark() ? "Light theme" : "Dark theme";
    button.setAttribute("aria-pressed", String(isDark()));
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

theme();
verdict();
document.getElementById("stories").append(...data.stories.map(storySection));
if (data.storiesLeftOut)
  document
    .getElementById("stories")
    .append(el("p", { class: "hint" }, `${counted(data.storiesLeftOut, "further violated level")} not told here.`));
orderSection();
levelsSection();
numbersSection();
notesSection();
shareBar();
document.getElementById("foot").append(`Assay ${data.assay}. This page is one file and fetches nothing.`);
const redraw = () => redraws.forEach((draw) => draw());
redraw();
let width = innerWidth;
const goTo = () => anchored.forEach((look) => look(location.hash.slice(1)));
goTo();
addEventListener("hashchange", goTo);
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    redraw();
  }
});
