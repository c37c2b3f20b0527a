import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

/** Redoc needs inline styles and a worker from a blob. Scripts are loaded from our own origin only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const THEME = JSON.stringify({
  typography: {
    fontFamily: 'system-ui, sans-serif',
    headings: { fontFamily: 'system-ui, sans-serif' },
    code: { fontFamily: 'ui-monospace, monospace' },
  },
})

/**
 * Links are relative, because a host without its own domain serves below a stage. Redoc replaces the content of its
 * element.
 */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API</title>
<link rel="icon" href="data:,">
<style>
html { background: #fff }
body { margin: 0 }
main { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1.5rem }
@media (prefers-color-scheme: dark) { html { filter: invert(1) hue-rotate(180deg) } }
</style>
</head>
<body>
<redoc spec-url="openapi.json" expand-responses="200,201,202" theme='${THEME}'>
<main>
<h1>Countersign API</h1>
<p>Countersign governs what AI agents do: it classifies each action, runs it or holds it for a person, and keeps evidence that anyone can check.</p>
<p>Authenticate with an API key, as <code>X-API-Key: ak_test_…</code> or <code>Authorization: Bearer ak_test_…</code>. Keys that begin with <code>ak_test_</code> see the sandbox, those with <code>ak_live_</code> the real data.</p>
<p>Everything else stands in the <a href="openapi.json">OpenAPI document</a>.</p>
<noscript><p>This page shows it with JavaScript, which is switched off here; the document is plain JSON.</p></noscript>
</main>
</redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
`

/** The page is readable without the script, which only renders the document. */
export const handler = endpoint(docs.page, shapes, async () =>
  httpResponse(200, PAGE, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    'X-Frame-Options': 'DENY',
  }),
)
