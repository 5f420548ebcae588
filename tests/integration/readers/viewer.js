// SPDX-License-Identifier: MIT
// viewer.js - opens files in speedscope, in a headless browser, and prints what it shows.
//
// viewer.js SPEEDSCOPE_DIST FILE SCREENSHOT - prints each function of the first profile, with its total and self
// time, as in speedscope's table of functions.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');

const [dist, file, screenshot] = process.argv.slice(2);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

// Serves only speedscope's pages and the file.
const server = http.createServer((request, response) => {
	const name = decodeURIComponent(request.url.split(/[?#]/)[0]).replace(/^\/+/, '') || 'index.html';
	const from = name === 'profile' ? file : path.join(dist, path.normalize('/' + name));

	response.setHeader('Content-Type', types[path.extname(from)] || 'application/octet-stream');
	fs.createReadStream(from).on('error', () => { response.statusCode = 404; response.end(); }).pipe(response);
});

async function show(port) {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox',
		'--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader'] });
	try {
		const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
		const errors = [];

		page.on('pageerror', (error) => errors.push(String(error)));
		page.on('dialog', (dialog) => { errors.push(dialog.message()); dialog.dismiss(); });
		await page.goto(`http://127.0.0.1:${port}/index.html#profileURL=/profile&title=profile`);
		await page.waitForSelector('canvas', { timeout: 120000 });
		await page.waitForTimeout(1000);
		await page.screenshot({ path: screenshot });
		// The table of the sandwich view.
		await page.keyboard.press('3');
		await page.waitForSelector('table', { state: 'attached', timeout: 120000 });
		await page.waitForTimeout(500);
		const seen = new Map();
		// Rows are drawn when they are scrolled into view.
		for (let before = -1; seen.size !== before;) {
			before = seen.size;
			const rows = await page.$$eval('tr', (all) => all.map((row) =>
				Array.from(row.querySelectorAll('td')).map((cell) => cell.innerText.trim())));

			for (const row of rows)
				if (row.length >= 3 && /%\)$/.test(row[0]))
					seen.set(row[2], row);
			await page.$$eval('div', (all) => all.forEach((one) => {
				if (one.scrollHeight > one.clientHeight && one.querySelector('table'))
					one.scrollTop += one.clientHeight / 2;
			}));
			await page.waitForTimeout(200);
		}
		await page.screenshot({ path: screenshot.replace(/\.png$/, '.table.png') });
		for (const [name, row] of seen)
			console.log([name, row[0], row[1]].join('\t').replace(/\u00b5/g, 'u'));
		if (errors.length)
			throw new Error(errors.join('; '));
	} finally {
		await browser.close();
	}
}

server.listen(0, '127.0.0.1', () => show(server.address().port).then(() => process.exit(0), (error) => {
	console.error(String(error));
	process.exit(1);
}));
