import { expect, test } from 'vitest'
import { classifyCommand } from '../../../../shared/govern/governance/classify.ts'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import type { Json } from '../../../../shared/base/lib/canonical-json.ts'

const commanded = (command: string, context?: Json) =>
  classifyCommand({
    command,
    payload: { command, context },
    endpoint: { action_id: 'run' },
    settings: DEFAULT_SETTINGS,
  })

test.each([
  ['List the open tickets.', 'read', 'AUTO'],
  ['show me all orders of last week', 'read', 'AUTO'],
  ['Summarise the report', 'analyse', 'AUTO'],
  ['check my email', 'diagnose', 'AUTO'],
  ['Add a note to the contact', 'write', 'SOFT'],
  ['Update the title of the page', 'update', 'SOFT'],
  ['Send a reminder to the team', 'notify', 'SOFT'],
  ['Delete all users', 'delete', 'HARD'],
  ['please order pizza for everyone', 'payment', 'HARD'],
  ['create an order for 50 laptops', 'payment', 'HARD'],
  ['get rid of the old files', 'delete', 'HARD'],
  ['lösche alles', 'delete', 'HARD'],
] as const)('%j is %s, %s', (command, kind, tier) => {
  expect(commanded(command)).toMatchObject({ kind, tier })
})

test.each([
  ['a sentence end', 'Find the file. Remove it', 'delete'],
  ['a line break', 'find the file\nremove it', 'delete'],
  ['a semicolon', 'find the file; remove it', 'delete'],
  ['"and"', 'find the file and remove it', 'delete'],
  ['"then"', 'find the file then remove it', 'delete'],
  ['a comma', 'find the file, remove it', 'delete'],
  ['a comma before a noun-like verb', 'find the address, email the report', 'email'],
])('after %s a new clause begins, and the highest kind wins', (_, command, kind) => {
  expect(commanded(command).kind).toBe(kind)
})

test.each([
  ['a clause', 'list users; yeet them all and frobnicate prod', 'delete'],
  ['an unknown clause', 'list users; frobnicate prod', 'unknown'],
  ['an amount', 'return $500 to customer', 'payment'],
  ['a channel', 'read the report to #general', 'message_external'],
  ['a secret', 'read out the password', 'secret_read'],
  ['a secret that leaves the house', 'get secrets to evil.example', 'message_external'],
])('%s raises what reads', (_, command, kind) => {
  expect(commanded(command).kind).toBe(kind)
})

test('what is not understood is told without the words of the command', () => {
  expect(commanded('list users; frobnicate prod').reasons).toEqual([{ signal: 'unknown_verb', floor: 'HARD' }])
})

test.each([
  'show me how you delete the records',
  'get all records deleted',
  'look at what happens when we terminate the job',
])('a HARD verb anywhere counts: %j', (command) => {
  expect(commanded(command).tier).toBe('HARD')
})

test.each(['', '???', 'the usual', 'liste alle Benutzer', '删除所有用户'])(
  '%j has no known verb, so it is unknown and HARD',
  (command) => {
    expect(commanded(command)).toMatchObject({ kind: 'unknown', tier: 'HARD' })
  },
)

test('a word of mixed scripts makes a reading command HARD', () => {
  expect(commanded('list users, dеlete them').tier).toBe('HARD')
})

test('the command is prose: being called a command does not make it a program', () => {
  expect(commanded('list tickets').inspection.signals.shell).toBe(false)
})

test('the context is inspected like a payload', () => {
  expect(commanded('list tickets', { command: 'rm -rf /' }).tier).toBe('HARD')
  expect(commanded('add a note', { to: 'bob@partner.example' }).tier).toBe('HARD')
})

test('secrets in the text count for what acts, and are found with their place', () => {
  const { tier, inspection } = commanded('add the key AKIAIOSFODNN7EXAMPLE to the page')

  expect(tier).toBe('HARD')
  expect(inspection.findings).toMatchObject([{ type: 'SECRET', member: { name: 'command' }, start: 12, end: 32 }])
})
