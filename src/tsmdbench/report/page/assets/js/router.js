// Every view has an address in the fragment: section, then what is chosen in it.

const ROUTES = {
  leaderboard: ([key, direction]) => sortAddress("leaderboard", key, direction),
  failures: ([key, direction]) => sortAddress("failures", key, direction),
  difficulty: ([key, direction]) => sortAddress("difficulty", key, direction),
  heatmap: ([metric]) => metric && showHeat(metric),
  boxes: ([metric]) => metric && showBoxes(metric),
  explore: (parts) => readExplorer(parts),
};

function sortAddress(section, key, direction) {
  const element = find(`#${section} table[data-sortable]`);
  if (element && key) sortTable(element, key, direction === "ascending" ? "ascending" : "descending");
}

function addressParts() {
  try {
    return location.hash.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return []; // not an address of this page
  }
}

/** Give the present view an address, without going anywhere. */
function setAddress(parts, replace = false) {
  const fragment = `#${parts.map(encodeURIComponent).join("/")}`;
  if (fragment === location.hash) return;
  if (replace) history.replaceState(null, "", fragment);
  else history.pushState(null, "", fragment);
}

async function follow() {
  const [section, ...parts] = addressParts();
  const place = section && document.getElementById(section);
  if (!place) return;
  await ROUTES[section]?.(parts);
  place.scrollIntoView();
}

function markSection() {
  const links = findAll(".sections a");
  const sections = links.map((link) => find(link.getAttribute("href")));
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = links[sections.indexOf(target)];
        if (isIntersecting) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-30% 0px -69% 0px" },
  );
  sections.forEach((section) => watcher.observe(section));
}

function startRouter() {
  addEventListener("hashchange", follow);
  for (const select of findAll("select[data-metric]")) {
    select.addEventListener("change", () => {
      const section = select.dataset.metric;
      ROUTES[section]([select.value]);
      setAddress([section, select.value]);
    });
  }
  markSection();
}
