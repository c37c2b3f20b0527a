// The guides hold what they promise: their shell lines run against the service as they stand, each page as one script.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GUIDES } from '../../infra/docs/guides.ts'
import { DEMO } from '../../infra/local/first-start.ts'
import { ROOT } from '../architecture/support/source.ts'
import { PASSWORD } from '../support/local-stack.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const local = useLocalStack()

/** Only reads addresses of products, which a test cannot have. */
const WITHOUT = ['guide-mcp', 'guide-policies', 'guide-webhooks']

const shellOf = (file: string): string =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)]
    .map(([, lines = '']) => lines)
    .join('\n')

const personOf = ({ email }: { email: string }) => ({ email, password: PASSWORD })

/** Fails at the first line that fails; curl fails with a status from 400 on. */
const run = (script: string, folder: string) =>
  new Promise<{ error: Error | null; output: string }>((resolve) => {
    const whole = `set -e\ncurl() { command curl --fail-with-body "$@"; }\n${script}`
    execFile('bash', ['-c', whole], { cwd: folder }, (error, output, errors) =>
      resolve({ error, output: output + errors }),
    )
  })

/** Pages that are no guides, and what their shell lines print last. */
const TOURS = [{ file: 'shared/assure/README.md', last: /\}met$/ }]

const guides = GUIDES.filter(({ name }) => !WITHOUT.includes(name)).map(({ file }) => ({ file, last: /$/ }))

test.each([...guides, ...TOURS])('the lines of $file run', async ({ file, last }) => {
  const tenant = await local.tenant({ require_human_approver: null })
  const folder = join(local.directory, tenant.tenant_id)
  mkdirSync(join(folder, '.countersign'), { recursive: true })
  writeFileSync(
    join(folder, '.countersign/credentials.json'),
    JSON.stringify({ ...tenant, owner: personOf(tenant.owner), approver: personOf(tenant.approver) }),
  )
  const headers = { 'X-API-Key': tenant.live_key, 'Content-Type': 'application/json' }
  await fetch(`${local.apiUrl}/api/v1/protocol/manifest`, { method: 'POST', headers, body: JSON.stringify(DEMO) })
  const script = shellOf(file)
    .replaceAll('http://127.0.0.1:8787', local.apiUrl)
    .replaceAll('http://localhost:8788', local.appUrl)

  const { error, output } = await run(script, folder)

  expect(script).toContain('curl')
  expect({ output, error }).toMatchObject({ error: null })
  expect(output.trim()).toMatch(last)
})

test('the guides without a run have no line for a shell that could be run here', () => {
  const lines = GUIDES.filter(({ name }) => WITHOUT.includes(name)).map(({ file }) => shellOf(file))

  expect(lines.filter((text) => text.includes('curl'))).toEqual([])
})
