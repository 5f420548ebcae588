/* elements.js - makes elements of the page, and copies text. */
function element(tag, className, text) {
	const one = document.createElement(tag);
	if (className)
		one.className = className;
	if (text !== undefined)
		one.textContent = text;
	return one;
}

function buttonElement(text, action, title) {
	const one = element("button", "", text);
	one.type = "button";
	one.title = title || "";
	one.addEventListener("click", action);
	return one;
}

/* Copies a text to the clipboard. A browser may offer no clipboard to a file: then copies a selection. */
async function copyText(app, text) {
	let copied = true;
	try {
		await navigator.clipboard.writeText(text);
	} catch (error) {
		const area = element("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		copied = document.execCommand("copy");
		area.remove();
	}
	app.say(copied ? "copied" : "the browser does not let this page copy");
}
