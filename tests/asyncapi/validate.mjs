// Parses an AsyncAPI document with the parser of its makers, and prints what that finds. Exit status
// 1 if it finds an error or a warning.
//
//   node validate.mjs DOCUMENT PACKAGES     PACKAGES: a folder with node_modules

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [document, packages] = process.argv.slice(2);
const { Parser } = createRequire(resolve(packages, 'package.json'))('@asyncapi/parser');

// That there is a later version of AsyncAPI is not about this document.
const IGNORED = new Set(['asyncapi-latest-version']);
const MOST_PRINTED = 20;
const SEVERITY = ['error', 'warning', 'information', 'hint'];

const { document: parsed, diagnostics } = await new Parser().parse(readFileSync(document, 'utf8'), {
  source: resolve(document),
});
const found = diagnostics.filter(({ code }) => !IGNORED.has(code));
for (const { severity, code, message, path, range } of found.slice(0, MOST_PRINTED)) {
  const place = `${document}:${range.start.line + 1}`;
  console.log(`${place}: ${SEVERITY[severity]}: ${message} (${code}) at ${path.join('.')}`);
}
if (parsed === undefined) {
  console.log(`${document}: no AsyncAPI document`);
}
const messages = parsed?.allMessages().length ?? 0;
console.log(`${messages} messages, ${found.length} problems`);
process.exitCode = parsed === undefined || found.length > 0 ? 1 : 0;
