// Light, dark, or as the system has it; remembered where the browser lets us.

const THEMES = { auto: ["◐", "Auto", "as the system"], light: ["☀", "Light", "light"], dark: ["☾", "Dark", "dark"] };

function remembered() {
  try {
    return localStorage.getItem("tsmdbench-theme");
  } catch {
    return null; // a page on the disk may have no storage
  }
}

function setTheme(name) {
  const button = find("#theme");
  const [sign, word, meaning] = THEMES[name];
  if (name === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", name);
  button.replaceChildren(`${sign} `, el("span", {}, word));
  button.setAttribute("aria-label", `Colours: ${meaning}`);
  button.dataset.theme = name;
  try {
    localStorage.setItem("tsmdbench-theme", name);
  } catch {
    // as above: then it lasts until the page is closed
  }
}

function startTheme() {
  const stored = remembered();
  setTheme(stored in THEMES ? stored : "auto");
  find("#theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    const now = names.indexOf(find("#theme").dataset.theme);
    setTheme(names[(now + 1) % names.length]);
  });
}
