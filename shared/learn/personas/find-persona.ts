import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { seedsOf } from '../../govern/learned/persona-seeds.ts'
import { readPersona } from '../../govern/learned/read-learned.ts'
import { personas } from '../../govern/learned/stored-persona.ts'
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
