import { describe, expect, test } from 'vitest'
import { commanded } from './commands.ts'

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

describe('a clause that reads parses to its end', () => {
  test.each([
    ['a second object', 'get the customer a discount'],
    ['a result', 'get the site down'],
    ['a result behind the object', 'get the invoice paid'],
    ['a place to which something goes', 'get the patch onto the servers'],
    ['what is had rather than read', 'get admin rights'],
    ['an unknown word', 'list the users frobnicate'],
    ['an unknown object', 'get wibble'],
    ['a sentence without a verb behind it', 'get users. Off with them'],
    ['an act as a noun', 'list users for deletion'],
    ['a price', 'list the product at 20'],
    ['a link with a query', 'fetch https://example.com/?q=customers'],
    ['a quoted text that is no value', 'list users "x"'],
    ['a noun as a verb', 'list customers, invoice customers'],
  ])('%s does not: %j', (_, command) => {
    expect(commanded(command).tier).toBe('HARD')
  })

  test.each([
    'show the report "x" of the user "y"',
    'find contacts named wibble',
    'show invoices from Wibble',
    'list the tickets that are open since Monday, sorted by date',
    'how many users signed up last week?',
    'which invoices are overdue?',
    'is the database up?',
    'I need a list of all customers',
    'list cancelled orders of the customer',
    'show the logs of web-01 between 10:00 and 12:30',
  ])('%j does', (command) => {
    expect(commanded(command).tier).toBe('AUTO')
  })
})

test('a name in capitals is none where all letters are capitals', () => {
  expect(commanded('SHOW INVOICES FROM WIBBLE').tier).toBe('HARD')
})
