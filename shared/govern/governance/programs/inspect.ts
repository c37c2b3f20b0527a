// Finds the programs in a payload, by the role of a field and by the form of its text.
import type { Json } from '../../../base/lib/json.ts'
import { looksLikeCode, ofNames, type Role } from '../payload/fields.ts'
import type { Member } from '../payload/members.ts'
import { isCommand, isWritingOperation, type Program, programIn, queryWrites } from './find.ts'
import { graphReads } from './graph.ts'
import { isWritingMethod, isWritingRequest } from './http.ts'
import { readsOnly } from './sql.ts'

/** The program that a field of a role holds, and the test that its text must pass. */
const BY_ROLE: Partial<Record<Role, [Program, (text: string) => boolean]>> = {
  sql: ['sql', (text) => !readsOnly(text)],
  graph: ['sql', (text) => !graphReads(text)],
  query: ['sql', queryWrites],
  shell: ['shell', () => true],
  program: ['shell', isCommand],
  code: ['shell', looksLikeCode],
  method: ['http', isWritingMethod],
}

const isWritingName = ofNames(isWritingOperation)

/** Collects the programs of a payload, member by member. */
export class Programs {
  readonly #found = new Set<Program>()

  has(program: Program): boolean {
    return this.#found.has(program)
  }

  see({ value, characters, role, name, isNamed }: Member): void {
    if (isNamed && isWritingName(name)) this.#found.add('sql')
    if (typeof value === 'string') this.#seeForm(value, characters)
    else if (Array.isArray(value)) this.#seeList(value)
    else if (typeof value === 'object' && value !== null && isWritingRequest(value)) this.#found.add('http')
    if (role && value !== undefined && typeof value !== 'object') this.#seeField(role, String(value))
  }

  #seeForm(text: string, characters?: number): void {
    const program = programIn(text, characters)
    if (program) this.#found.add(program)
  }

  /** A list may hold the words of one command. */
  #seeList(list: readonly Json[]): void {
    if (list.length > 1 && list.every((element) => typeof element === 'string')) this.#seeForm(list.join(' '))
  }

  #seeField(role: Role, text: string): void {
    const [program, holds] = BY_ROLE[role] ?? []
    if (program && text.trim() !== '' && holds?.(text)) this.#found.add(program)
  }
}
