// Start everything, in the order of the page.

startTheme();
startFigures();
startTables((section, key, direction) => setAddress([section, key, direction]));
startExplorer();
startRouter();
if (addressParts()[0] === "explore") follow();
else showExplorer().then(follow);
