// The prompt of the persona as which an agent acted, in the version that was in force then.
import type { Context } from '../../base/context.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { personaVersions, seedOf } from '../../govern/learned/persona.ts'
import { unpackUsed } from '../../govern/learned/learned.ts'

type Version = { system_prompt: string; from: number }

/** Reads the versions of each persona once. */
export class Prompts {
  readonly #ctx: Context
  readonly #known = new Map<string, Promise<Version[]>>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Undefined without a persona. */
  async of({ id, learned }: Execution): Promise<string | undefined> {
    const { persona } = unpackUsed(learned)
    if (persona === null) return undefined
    const versions = this.#known.get(persona) ?? this.#read(persona)
    this.#known.set(persona, versions)
    const at = timeOfId(id)
    return (
      (await versions).findLast(({ from }) => from <= at)?.system_prompt ??
      seedOf(this.#ctx.space, persona)?.system_prompt
    )
  }

  async #read(persona_key: string): Promise<Version[]> {
    const { table, space } = this.#ctx
    const pk = spaceKey(space, 'PERSONA', persona_key)
    const found = await table.query(personaVersions, { pk, to: '9~' })
    return found.map(({ system_prompt, updated_at }) => ({ system_prompt, from: Date.parse(updated_at) }))
  }
}
