import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { personas, seedsOf } from '../../govern/learned/persona.ts'
import { readPersona } from '../../govern/learned/learned-for.ts'
import type { PersonaNow } from './persona-view.ts'

/** Throws 404. */
export async function findPersona({ table, space }: Context, key: string): Promise<PersonaNow> {
  const found = await readPersona(table, space, key)
  if (!found) throw notFound('persona')
  return found
}

/** In the order of the built-in ones. */
export async function allPersonas({ table, space }: Context): Promise<PersonaNow[]> {
  const seeds = seedsOf(space)
  const changed = await table.getAll(personas, seeds)
  return seeds.map((seed) => changed.find(({ persona_key }) => persona_key === seed.persona_key) ?? seed)
}
