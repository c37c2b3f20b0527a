import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { codeOf, loadedAtStart } from '../../infra/bundle/bundle.ts'
import { sourceOf, SURFACE } from '../../infra/surface.ts'
import { bundleAll } from './support/closures.ts'

/** Code that loads before a function can answer. Libraries that not every request needs (ajv, KMS, S3, …) load late. */
const START_BYTES_MAX = 462_000
/** With what loads late, since Lambda fetches and unpacks it all. */
const BYTES_MAX = 1_209_000
/** Functions that need much: workers, for whose start no request waits, and those by which a person signs in or decides. */
const OF_ALL_AREAS: Record<string, { start: number; all: number }> = {
  'agent-approve': { start: 471_000, all: BYTES_MAX },
  'approvals-approve': { start: 480_000, all: BYTES_MAX },
  'approvals-batch': { start: 473_000, all: BYTES_MAX },
  'approvals-reject': { start: 480_000, all: BYTES_MAX },
  'approvals-page': { start: 505_000, all: 1_332_000 },
  'approvals-submit-page': { start: 583_000, all: 1_645_000 },
  // These classify names and commands, whose words are data.
  'mcp-call': { start: 466_000, all: BYTES_MAX },
  'protocol-register-manifest': { start: 523_000, all: BYTES_MAX },
  // Reads answers with the XML libraries, and decrypts them with a key that is sealed by data keys.
  'sso-saml-callback': { start: START_BYTES_MAX, all: 1_260_000 },
  // Reads documents of APIs, and may ask people for what it registers.
  'integrations-publish': { start: START_BYTES_MAX, all: 1_530_000 },
  'learning-propose-routing-update': { start: 475_000, all: BYTES_MAX },
  'security-save-policy': { start: 462_000, all: BYTES_MAX },
  'training-complete-ab-test': { start: 480_000, all: BYTES_MAX },
  'training-deploy-model': { start: 469_000, all: BYTES_MAX },
  'training-rollback-model': { start: 469_000, all: BYTES_MAX },
  'work-update-task': { start: START_BYTES_MAX, all: 1_483_000 },
  // Every call of a tool waits for it.
  'workers-challenge': { start: 10_000, all: 10_000 },
  'workers-steps': { start: START_BYTES_MAX, all: 1_290_000 },
  'workers-sweep': { start: START_BYTES_MAX, all: 1_795_000 },
  'workers-train': { start: START_BYTES_MAX, all: 1_575_000 },
  'workers-run-checks': { start: 681_000, all: 1_220_000 },
}

/** The OAuth library is large and all of it is needed at once. Only functions that run it may be so large. */
const OAUTH_SERVER = { start: 1_200_000, all: 1_600_000 }
/** Its pages where people sign in can also end what an account made before its address was proven; that loads late. */
const OAUTH_SIGN_IN = { start: OAUTH_SERVER.start, all: 1_885_000 }
const isOAuthServer = (inputs: Set<string>) => [...inputs].some((input) => input.includes('/oidc-provider/'))

/** The catalogue of checks is data: functions that answer from it hold all of it. */
const CATALOGUE = { start: START_BYTES_MAX + 65_000, all: BYTES_MAX }
const hasCatalogue = (inputs: Set<string>) => inputs.has('shared/assure/catalogue/checks.json')

/** The writer of PDF files is large, too. It loads late, in the worker that makes reports. */
const PDF_WRITER = { start: CATALOGUE.start, all: BYTES_MAX + 820_000 }
const hasPdfWriter = (inputs: Set<string>) => inputs.has('shared/assure/report/pdf.ts')

/** It holds a verb that may begin an account anew. */
const canBegin = (inputs: Set<string>) =>
  ['users/set-password.ts', 'sso/redeem.ts', 'oauth/interaction.ts'].some((file) =>
    inputs.has(`shared/identity/${file}`),
  )

const usesOf = (id: string) => [...SURFACE.routes, ...SURFACE.workers].find((row) => row.id === id)?.uses

const bundled = await bundleAll()
afterAll(() => bundled.remove())

const named = bundled.closures.map((closure) => [closure.entry.id, closure] as const)

describe.each(named)('%s', (_, { entry, outputs, inputs }) => {
  test('stays within its size', () => {
    const start = loadedAtStart(outputs)
    const bytesOf = (files: [string, { bytes: number }][]) => files.reduce((sum, [, { bytes }]) => sum + bytes, 0)
    const all = Object.entries(outputs)
    const usual = hasCatalogue(inputs) ? CATALOGUE : { start: START_BYTES_MAX, all: BYTES_MAX }
    const large = hasPdfWriter(inputs) ? PDF_WRITER : (OF_ALL_AREAS[entry.id] ?? usual)
    const oauth = inputs.has('functions/first-proof.ts') ? OAUTH_SIGN_IN : OAUTH_SERVER
    const max = isOAuthServer(inputs) ? oauth : large

    expect(bytesOf(all.filter(([path]) => start.has(path)))).toBeLessThanOrEqual(max.start)
    expect(bytesOf(all)).toBeLessThanOrEqual(max.all)
  })

  test('holds no other operation, nor examples', () => {
    const others = [...inputs].filter((input) => input.startsWith('functions/') && input !== sourceOf(entry))

    const common = ['functions/api.ts', 'functions/effects.ts', 'functions/first-proof.ts']
    expect(others.filter((input) => !common.includes(input) && !input.endsWith('/routes.ts'))).toEqual([])
  })

  test('runs the OAuth library only where it is served', () => {
    expect(isOAuthServer(inputs) && entry.area !== 'oauth').toBe(false)
  })

  test('that proves an address can end what was made before', () => {
    if (inputs.has('shared/identity/users/end-made.ts') && canBegin(inputs))
      expect(inputs).toContain('functions/first-proof.ts')
  })

  test('that posts to addresses of tenants says so in its row', () => {
    const posts = inputs.has('shared/deliver/webhooks/post.ts') || inputs.has('shared/govern/executions/call-target.ts')

    if (posts) expect(usesOf(entry.id)).toContainEqual({ outbound: true })
  })

  test('speaks one language and asks only Lambda for credentials', () => {
    const locales = [...inputs].filter((input) => /zod\/v4\/locales\/(?!index)/.test(input))
    const chains = [...inputs].filter((input) => /credential-provider-(sso|ini|node)\//.test(input))

    expect(locales.length).toBeLessThanOrEqual(1)
    expect(chains).toEqual([])
  })

  test('starts without importing modules of Node, which would load all that they export', () => {
    const external = [...loadedAtStart(outputs)].filter((path) => !Object.hasOwn(outputs, path))

    expect(external).toEqual([])
  })
})

describe('all bundles', () => {
  test('load, and each has a handler', () => {
    const files = bundled.closures.map(({ entry }) => join(codeOf(entry, bundled.dist), 'index.mjs'))
    const program = `for (const file of process.argv.slice(1)) if (!(await import(file)).handler) throw new Error(file)`
    const env = { PATH: process.env.PATH, AWS_REGION: 'eu-west-1' }

    execFileSync(process.execPath, ['--input-type=module', '-e', program, ...files], { env })
  })

  test('reading the routes loads no handler', () => {
    const unmatched = bundled.closures.find(({ entry }) => entry.id === 'gateway-unmatched')
    const ours = [...(unmatched?.inputs ?? [])].filter((input) => input.startsWith('functions/'))

    expect(ours.filter((input) => !/\/(routes|api|unmatched)\.ts$/.test(input))).toEqual([])
  })
})
