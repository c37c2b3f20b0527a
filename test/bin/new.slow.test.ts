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

  test.each([
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
    const include = [...WRITTEN.slice(0, 3), 'shared/identity/oauth/oidc-provider.d.ts']
    writeFileSync(join(copy, 'tsconfig.new.json'), JSON.stringify({ extends: './tsconfig.json', include }))

    expect(tool('tsc', '--noEmit', '--checkers', '1', '-p', 'tsconfig.new.json')).toEqual({ status: 0, output: '' })
    expect(tool('oxlint', ...WRITTEN)).toMatchObject(passed)
    expect(tool('oxfmt', '--check', ...WRITTEN, 'functions/api.ts', 'infra/openapi')).toMatchObject(passed)
  })

  test('the rules of the architecture, the words of the reference and the tests it wrote pass', () => {
    const files = [...ARCHITECTURE, 'test/infra/openapi/words.test.ts', ...WRITTEN.slice(2)]
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
    expect(output).toMatch(/Test Files +17 passed/)
  })
})
