// The introduction of the document.
import { DOCUMENT_HOSTS } from '../../shared/base/wire/site.ts'
import { CODE_TABLE } from '../../shared/base/catalog/codes.ts'

/** CommonMark. */
export const INTRO = `
Countersign governs what AI agents do. An agent asks to run an action; Countersign classifies it, runs it or holds it for a
person, and keeps evidence that anyone can check.

| Tier | Kinds of action | What happens |
|---|---|---|
| AUTO | reads, searches, analysis | runs at once |
| SOFT | notifications, writes that can be undone | runs, and can be undone for 30 seconds |
| HARD | e-mails, deletions, payments, deployments | waits for the approval of a person |

# Authentication

Send an API key in either form, and in one form only:

\`\`\`
X-API-Key: ak_test_…
Authorization: Bearer ak_test_…
\`\`\`

Keys that begin with \`ak_test_\` work in test mode, those with \`ak_live_\` in live mode; their data never mix. A key has
scopes, each operation names the scope it needs, and \`admin\` covers them all. Keys belong on servers: never put one into a
browser or an app.

People sign in at \`POST /api/v1/auth/login\` and send their access token as \`Authorization: Bearer\`. In live mode a person decides
on e-mails, deletions, payments, deployments and the like, and no key: \`person_required\` says so.

# Agents

Agents that speak the Model Context Protocol connect to \`${DOCUMENT_HOSTS.api}/mcp/<tenant_id>\` with a key of the scope
\`agent:execute\`, and find every registered action as a tool. For example, Claude Code:

\`\`\`sh
claude mcp add --transport http countersign "${DOCUMENT_HOSTS.api}/mcp/<tenant_id>" --header "Authorization: Bearer $COUNTERSIGN_KEY"
\`\`\`

The result of a tool has a \`status\`. \`pending_approval\` means that nothing has happened yet: a person decides at
\`approval.url\`, and \`countersign_wait\` returns the result.

# Requests

Bodies are JSON objects in UTF-8, at most 256 KiB; \`Content-Type\` is \`application/json\` or any \`application/*+json\`, in any spelling of
RFC 9110. Unknown members and query parameters are refused, so that a misspelt one
does not pass silently; \`null\` for an optional member counts as absent. Send an \`Idempotency-Key\` with every change that you may have to
repeat: the repeat gets the first answer again and changes nothing.

# Clients

The TypeScript samples use types that are made from this document, and [openapi-fetch](https://openapi-ts.dev/openapi-fetch/):

\`\`\`sh
npm install openapi-fetch && npx openapi-typescript ${DOCUMENT_HOSTS.api}/openapi.json -o countersign.d.ts
\`\`\`

\`\`\`ts
import createClient from 'openapi-fetch'
import type { paths } from './countersign'

const client = createClient<paths>({
  baseUrl: '${DOCUMENT_HOSTS.api}',
  headers: { 'X-API-Key': process.env.COUNTERSIGN_KEY },
})
\`\`\`

# Answers

Timestamps are ISO 8601 in UTC. Ignore members, event types and codes that you do not know: new ones are no breaking change.
Every refusal has one body, with a \`detail\` for people and a \`code\` for programs. An outcome is no failure: an action that is
held answers 202, one that a policy rejects 403, and one whose target fails 502. Each has the execution as its body.

Every answer carries the state of the rate limit, in \`X-RateLimit-*\` and in the drafted fields \`RateLimit\` and \`RateLimit-Policy\`.
After a 429 wait for \`Retry-After\` seconds, then try at most three times,
each time longer and with jitter.

Lists take \`limit\` and \`cursor\`, or \`limit\` and \`offset\`; the answer has the same form. Cursors are opaque and valid only
for the filters they were made with. \`Link\` (RFC 8288) leads to the first and the next page.

HEAD has the headers of GET, where GET only reads.

# Errors

Send \`Accept: application/problem+json\` for refusals as problem details (RFC 9457): \`type\` leads to the code, \`detail\` is always
text, and \`errors\` lists every violated rule. Refusals by the gateway itself, such as a body over 10 MB, are plain JSON always.

Ignore codes that you do not know; new ones may come.

${CODE_TABLE}

# Compliance

Enable a framework, and 48 checks look each day at what the service has recorded. \`GET …/posture\` says how each framework stands and
what raises its score the most. What no check can see is submitted as evidence, which somebody else accepts; one piece counts for every
control that it names. An export binds all of it to the evidence chain. The statuses cover the use of this service, not the whole
organisation; an auditor decides.

# Events

Webhooks deliver events to the endpoints that subscribe to them, signed in three schemes. Verify the scheme that you support,
drop repeats by \`id\`, and answer 2xx within 5 seconds.
`.trim()
