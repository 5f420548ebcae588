/* preferences.js - what the page remembers for the next page that this browser shows: the theme, and the sizes of panes
   and columns. The browser may forbid it: then the page forgets. */
const PREFERENCES_KEY = "spoor-view";

class Preferences {
	constructor() {
		try {
			this.values = JSON.parse(localStorage.getItem(PREFERENCES_KEY)) || {};
		} catch (error) {
			this.values = {};
		}
	}

	get(name) {
		return this.values[name];
	}

	/* @value: undefined to forget it. */
	set(name, value) {
		this.values[name] = value;
		try {
			localStorage.setItem(PREFERENCES_KEY, JSON.stringify(this.values));
		} catch (error) {
			/* The value stays valid for this page. */
		}
	}
}
