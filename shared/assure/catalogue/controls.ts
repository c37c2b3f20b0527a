// The frameworks and their controls. They are data; nothing but this module reads the file.
import catalogue from './controls.json' with { type: 'json' }
import { controlKey, type FrameworkId } from './framework-ids.ts'

export type Control = {
  id: string
  title: string
  family: string
  /** It is in scope when every one of these is on. */
  scope?: readonly string[]
}

export type Family = { id: string; title: string; evidence: readonly string[] }

/** `core`: named by the specification. */
export const GROUPS = ['core', 'ai'] as const
export type Group = (typeof GROUPS)[number]

export type FrameworkFacts = {
  name: string
  version: string
  group: Group
  /** Each with its default. */
  scope_tags: Readonly<Record<string, boolean>>
  families: readonly Family[]
}

const controls: Readonly<Record<FrameworkId, readonly Control[]>> = catalogue.frameworks
const automatic: Readonly<Partial<Record<FrameworkId, readonly string[]>>> = catalogue.automatic_controls

export function aboutFramework(framework: FrameworkId): FrameworkFacts {
  const about = catalogue.about[framework]
  return { ...about, group: oneOf(GROUPS, about.group) }
}

/** In the order of the framework. */
export const controlsOf = (framework: FrameworkId): readonly Control[] => controls[framework]

/** The controls that the checks of this service can speak for alone. */
export const isAutomatic = (framework: FrameworkId, control: string): boolean =>
  automatic[framework]?.includes(control) ?? false

export const findControl = (framework: FrameworkId, key: string): Control | undefined =>
  controls[framework].find(({ id }) => controlKey(id) === key)

/** This part of the catalogue. */
export const CONTROLS_PART: typeof catalogue = catalogue

/** Text of the catalogue as one of the names that it may be. */
export function oneOf<T extends string>(names: readonly T[], text: string): T {
  const found = names.find((name) => name === text)
  if (found === undefined) throw new Error(`the catalogue knows no ${text}`)
  return found
}
