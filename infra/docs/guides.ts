// The guides before the reference: Markdown files beside the code, and the introduction of the OpenAPI document.
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CODE_TABLE, CODES } from '../../shared/base/catalog/codes.ts'
import { html } from '../../shared/base/wire/page.ts'
import type { Page } from './layout.ts'
import { inline, markdown } from './markdown.ts'

type Guide = {
  name: string
  title: string
  description: string
  file: string
  /** The first heading of the part that only people who change the code read. */
  until?: string
}

export const GUIDES: readonly Guide[] = [
  {
    name: 'guide-first-action',
    title: 'Your first governed action',
    description: 'From npm start to a refund that a person approved and evidence proves.',
    file: 'shared/govern/GUIDE.md',
  },
  {
    name: 'guide-approvals',
    title: 'Approvals',
    description: 'Who decides on what is held, and what agents see meanwhile.',
    file: 'shared/govern/approvals/GUIDE.md',
  },
  {
    name: 'guide-policies',
    title: 'Policies',
    description: 'Rules in JSON: facts, operators, effects, groups, templates and examples.',
    file: 'shared/govern/policies/README.md',
    until: '## Model and storage',
  },
  {
    name: 'guide-webhooks',
    title: 'Webhooks',
    description: 'Receive events, verify them, and recover what was missed.',
    file: 'shared/deliver/webhooks/README.md',
  },
  {
    name: 'guide-evidence',
    title: 'Evidence',
    description: 'Verify the chain here, offline, and entry by entry.',
    file: 'shared/ledger/evidence/GUIDE.md',
  },
  {
    name: 'guide-mcp',
    title: 'Connect an agent (MCP)',
    description: 'One URL for Claude, Cursor, VS Code and agent SDKs.',
    file: 'shared/govern/mcp/GUIDE.md',
  },
  {
    name: 'guide-sso',
    title: 'Single sign-on',
    description: 'Your own identity provider, by SAML 2.0 or OpenID Connect.',
    file: 'shared/identity/sso/GUIDE.md',
  },
  {
    name: 'guide-scim',
    title: 'Directories (SCIM)',
    description: 'Accounts and groups that your directory keeps.',
    file: 'shared/identity/scim/GUIDE.md',
  },
]

/** Made from the introduction of the document. */
export const REQUESTS = {
  name: 'guide-requests',
  title: 'Requests, errors and limits',
  description: 'What holds for every operation: keys, errors, repeats, pages, rate limits.',
}

/** Each code has a place of its own, to which the `type` of problem details leads. */
export const ERRORS = {
  name: 'errors',
  title: 'Errors',
  description: 'Every code of a refusal, with its cause and what to do.',
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export async function guidePage({ name, title, file, until }: Guide): Promise<Page> {
  const text = await readFile(join(ROOT, file), 'utf8')
  if (until !== undefined && !text.includes(until)) throw new Error(`${file} has no part ${until}`)
  const part = until === undefined ? text : text.slice(0, text.indexOf(until))
  return { name, title, content: markdown(part.replace(/^# .*/, `# ${title}`), (href) => guideOf(file, href)) }
}

/** The page to which a link of a file leads. */
function guideOf(file: string, href: string): string | undefined {
  const [path = '', fragment] = href.split('#')
  const target = normalize(join(dirname(file), path))
  const name = GUIDES.find((guide) => guide.file === target)?.name
  return name && (fragment === undefined ? name : `${name}#${fragment}`)
}

/** Headings go one level down, below the title; the codes have a page of their own. */
export const requestsPage = (introduction: string): Page => ({
  ...REQUESTS,
  content: html`<h1>${REQUESTS.title}</h1>
    ${markdown(introduction.replaceAll(/^(#+ )/gm, '#$1').replace(CODE_TABLE, `[What each code means](${ERRORS.name})`))}`,
})

export const errorsPage = (): Page => ({
  ...ERRORS,
  content: html`<h1>${ERRORS.title}</h1>
    <p>Each refusal has a code. What caused it comes first, what to do about it second.</p>
    <dl>
      ${Object.entries(CODES).map(
        ([code, { cause, remedy }]) =>
          html`<dt id="${code}"><code>${code}</code></dt>
            <dd>${inline(cause)} ${inline(remedy)}</dd>`,
      )}
    </dl>`,
})
