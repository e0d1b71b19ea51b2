// Start everything, in the order of the page.

startTheme();
startFigures();
startTables((section, key, direction) => setAddress([section, key, direction]));
startRanks();
startHeat();
startBoxes();
startTime();
startExplorer();
startRouter();
if (addressParts()[0] === "explore") follow();
else showExplorer().then(follow);

// What a test, or a curious reader in the console, may ask for.
window.tsmdbench = { prom, explain, explanationLines, fixed, state, data: DATA };
