// Whole corpora of commands and names: whatever does more than read is held or can be undone, and plain reads run.
import { describe, expect, test } from 'vitest'
import { HARMLESS_COMMANDS } from './fixtures/harmless-commands.ts'
import { HOSTILE_COMMANDS, HOSTILE_NAMES } from './fixtures/hostile-commands.ts'
import { commanded, commandsOf } from './commands.ts'
import { classified } from './make.ts'

describe('commands that only seem to read', () => {
  test.each(HOSTILE_COMMANDS)('%j never runs by itself', (command) => {
    expect(commanded(command).tier).not.toBe('AUTO')
  })

  test('there are at least 145 of them, all different', () => {
    expect(new Set(HOSTILE_COMMANDS).size).toBeGreaterThanOrEqual(145)
  })
})

describe('names that only seem to read', () => {
  test.each(HOSTILE_NAMES)('%s never runs by itself', (name) => {
    expect(classified(name).tier).not.toBe('AUTO')
  })
})

describe('commands that read', () => {
  test.each(HARMLESS_COMMANDS)('%j runs', (command) => {
    expect(commanded(command).tier).toBe('AUTO')
  })
})

describe.each([
  ['commands.txt', 0.01, 0.98],
  ['held-out-commands.txt', 0.03, 0.95],
])('%s', (file, actingRuns, readingRuns) => {
  const all = commandsOf(file)
  const running = (acts: boolean) =>
    all.filter((one) => one.acts === acts && commanded(one.command).tier === 'AUTO').map(({ command }) => command)
  const count = (acts: boolean) => all.filter((one) => one.acts === acts).length

  test(`at most ${100 * actingRuns} % of what asks for an act runs by itself`, () => {
    expect(running(true).length / count(true), running(true).join('\n')).toBeLessThanOrEqual(actingRuns)
  })

  test(`at least ${100 * readingRuns} % of what reads runs by itself`, () => {
    expect(running(false).length / count(false)).toBeGreaterThanOrEqual(readingRuns)
  })
})
