import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSources, ROOT } from './support/source.ts'
import { isTable, stateProblems, type Table } from './support/states.ts'

/** Every table that a source in `shared/` exports. */
async function readTables(): Promise<[string, Table][]> {
  const declaring = readSources().filter(({ path, text }) => path.startsWith('shared/') && /: States</.test(text))
  const modules = await Promise.all(declaring.map(({ path }) => import(/* @vite-ignore */ join(ROOT, path))))
  return modules.flatMap((exports: object) =>
    Object.entries(exports).flatMap(([name, value]): [string, Table][] =>
      name.endsWith('_STATES') && isTable(value) ? [[name, value]] : [],
    ),
  )
}

const tables = await readTables()

describe('tables of states', () => {
  test('are found', () => {
    expect(tables.map(([name]) => name)).toEqual(expect.arrayContaining(['APPROVAL_STATES', 'EXECUTION_STATES']))
  })

  test.each(tables)('%s: every move leads to a state and every state is reached', (name, table) => {
    expect(stateProblems(name, table)).toEqual([])
  })

  test('with a stray move or a lost state are found', () => {
    expect(stateProblems('T', { open: ['done', 'gone'], done: [], lost: ['done'] })).toEqual([
      'T: gone is no state',
      'T: nothing leads to lost',
    ])
  })
})
