// Runs in the browser: makes the page of an offer nicer to fill in.
