// Every view has an address in the fragment: section, then what is chosen in it.

function addressParts() {
  try {
    return location.hash.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return []; // not an address of this page
  }
}

/** Give the present view an address, without going anywhere. */
function setAddress(parts) {
  const fragment = `#${parts.map(encodeURIComponent).join("/")}`;
  if (fragment !== location.hash) history.pushState(null, "", fragment);
}

async function follow() {
  const [section, ...parts] = addressParts();
  const place = section && document.getElementById(section);
  if (!place) return;
  const sorted = find("table[data-sortable]", place);
  if (section === "explore") await readExplorer(parts);
  else if (sorted && parts[0]) sortTable(sorted, parts[0], parts[1] === "ascending" ? "ascending" : "descending");
  place.scrollIntoView();
}

/** Mark the section that is being read, among the links at the top. */
function startRouter() {
  addEventListener("hashchange", follow);
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
