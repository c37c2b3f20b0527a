// What `npm run new` writes into a copy of the project passes the checks there as it stands.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/stand-ins.ts'

const ROOT = join(import.meta.dirname, '../..')
const COPIED = [
  'bin',
  'functions',
  'infra',
  'shared',
  'test',
  'package.json',
  'tsconfig.json',
  '.oxlintrc.json',
  '.oxfmtrc.json',
]
const WRITTEN = ['functions/notes', 'shared/operate/notes', 'test/unit/operate/notes', 'test/api/notes']
/** Of the worker and the facts. */
const ADDED = [
  'functions/workers.ts',
  'functions/workers/send-report.ts',
  'infra/topology.ts',
  'shared/base/catalog/queues.ts',
  'shared/govern/executions/evaluate-action.ts',
  'shared/govern/governance/conditions/fact-list.ts',
  'shared/govern/governance/decide/policy-facts.ts',
  'shared/govern/policies/reference.ts',
  'shared/operate/reports',
  'test/bench/governance.ts',
  'test/unit/govern/governance/facts.test.ts',
  'test/unit/govern/governance/make.ts',
  'test/unit/operate/reports',
]
const ARCHITECTURE = ['code', 'imports', 'room-layers', 'surface'].map((name) => `test/architecture/${name}.test.ts`)

let copy: string
beforeAll(() => {
  copy = temporaryDirectory()
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

function run(command: string, ...args: string[]) {
  const env = { ...process.env, GOGC: '400', GOMAXPROCS: '1', NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8', env })
  return { status, output: `${stdout}${stderr}` }
}
const tool = (name: string, ...args: string[]) => run(join('node_modules/.bin', name), ...args)
const generate = (...args: string[]) => run(process.execPath, 'bin/new.ts', ...args)
const passed = { status: 0 }

describe('npm run new', () => {
  test('writes operations of every kind, and says what', () => {
    const operations = [
      [
        'notes/create',
        '--permission',
        'protocol:write',
        '--members',
        'title,margin_note',
        '--tag',
        'Notes: What was noted.',
      ],
      ['notes/list', '--permission', 'protocol:read'],
      ['notes/get'],
      ['notes/update', '--path', '/api/v1/tenants/{tenant_id}/notes/{note_id}'],
      ['notes/delete'],
    ]

    for (const each of operations) expect(generate(...each)).toMatchObject(passed)
    expect(generate('notes/archive').output).toMatch(/Written:\n {2}functions\/notes\/routes\.ts[^]*Left to do:/)
    expect(readFileSync(join(copy, 'infra/openapi/tags.ts'), 'utf8')).toContain(`notes: ['Notes', 'What was noted.']`)
  })

  test('writes a worker with its queue, and facts of a policy', () => {
    const worker = generate('worker', 'reports/send-report')
    const facts = [
      generate('fact', 'agent.team', '--means', 'the team of the agent'),
      generate('fact', 'request.depth', '--type', 'number'),
    ]

    expect(worker.output).toMatch(/Written:\n {2}shared\/operate\/reports\/reports-queue\.ts[^]*Left to do:/)
    expect([worker, ...facts]).toMatchObject([passed, passed, passed])
    expect(readFileSync(join(copy, 'shared/govern/executions/evaluate-action.ts'), 'utf8')).toContain('agent_team:')
  })

  test.each([
    [['worker', 'reports/send-report'], 'The worker send-report exists already.'],
    [['worker', 'letters/write', '--queue', 'mail'], 'The queue mail has a worker already.'],
    [['worker', 'letters'], 'Name the worker as <room>/<worker>'],
    [['fact', 'agent.team'], 'The fact agent.team exists already.'],
    [['fact', 'signals.mood'], 'Name the fact as <part>.<name>, where the part is one of action,'],
    [
      ['fact', 'agent.mood', '--type', 'colour'],
      'colour is no type for a generated fact: string, number, boolean, list.',
    ],
    [['notes/create'], 'notes/create exists already: functions/notes/create.ts.'],
    [['notes/make', '--path', '/api/v1/notes'], 'POST /api/v1/notes is served already, by notes/create.'],
    [['bills/list'], 'There is no permission bills:read.'],
    [['notes/rename', '--members', 'colour'], 'shared/operate/notes/note.ts has no member colour. Add it there first.'],
    [['Notes'], 'Name the operation as <area>/<operation>'],
    [['notes/copy', '--colour', 'red'], `Unknown option '--colour'`],
  ])('refuses %j in one line and writes nothing', (args, message) => {
    const { status, output } = generate(...args)

    expect(status).toBe(1)
    expect(output.startsWith(message), output).toBe(true)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(existsSync(join(copy, 'functions/bills'))).toBe(false)
  })

  test('what it wrote has types, lint and format in order', () => {
    const include = [...WRITTEN.slice(0, 3), ...ADDED, 'shared/identity/oauth/oidc-provider.d.ts']
    writeFileSync(join(copy, 'tsconfig.new.json'), JSON.stringify({ extends: './tsconfig.json', include }))

    expect(tool('tsc', '--noEmit', '--checkers', '1', '-p', 'tsconfig.new.json')).toEqual({ status: 0, output: '' })
    expect(tool('oxlint', ...WRITTEN, ...ADDED)).toMatchObject(passed)
    expect(tool('oxfmt', '--check', ...WRITTEN, ...ADDED, 'functions/api.ts', 'infra/openapi')).toMatchObject(passed)
  })

  test('the rules of the architecture, the words of the reference and the tests it wrote pass', () => {
    const files = [
      ...ARCHITECTURE,
      'test/infra/openapi/words.test.ts',
      'test/unit/govern/governance/facts.test.ts',
      'test/unit/govern/policies/readme.test.ts',
      'test/unit/operate/reports',
      ...WRITTEN.slice(2),
    ]
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      '--maxWorkers=1',
      '--reporter',
      'dot',
    ]
    const { status, output } = run(process.execPath, ...vitest, ...files)

    expect(status, output).toBe(0)
    expect(output).toMatch(/Test Files +20 passed/)
  })
})
