// The names of the frameworks and of their controls, without the catalogue: most functions need no more of it.

/** Those that the specification names come first. */
export const FRAMEWORK_IDS = ['soc2', 'gdpr', 'hipaa', 'iso27001', 'iso42001', 'eu_ai_act', 'nist_ai_rmf'] as const
export type FrameworkId = (typeof FRAMEWORK_IDS)[number]

/** A control's id in paths, keys and OSCAL: `164.308(a)(1)` is `164.308-a-1`. Unique within its framework. */
export const controlKey = (id: string): string => id.toLowerCase().replaceAll(/[( ]/g, '-').replaceAll(')', '')
