// Whole corpora of commands and names: whatever does more than read is held or can be undone, and plain reads run.
import { describe, expect, test } from 'vitest'
import { classifyCommand } from '../../../../shared/govern/governance/classify.ts'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { HARMLESS_COMMANDS } from './fixtures/harmless-commands.ts'
import { HOSTILE_COMMANDS, HOSTILE_NAMES } from './fixtures/hostile-commands.ts'
import { classified } from './make.ts'

const commanded = (command: string) =>
  classifyCommand({ command, payload: { command }, endpoint: { action_id: 'run' }, settings: DEFAULT_SETTINGS })

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
