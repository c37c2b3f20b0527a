// The controls of the frameworks that the service knows. The file is data; nothing but this module reads it.
import catalogue from './catalogue.json' with { type: 'json' }

export const FRAMEWORKS = ['soc2', 'gdpr', 'hipaa', 'iso27001'] as const
export type FrameworkId = (typeof FRAMEWORKS)[number]

/** The ids of a framework's controls, in the order of the framework. */
export const controlsOf = (framework: FrameworkId): string[] => catalogue.frameworks[framework].map(({ id }) => id)
