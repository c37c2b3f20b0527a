// The counts of a completeness check, added up page by page.
import * as z from 'zod'

const EXAMPLES_MAX = 20

export const Gaps = z.object({
  /** Artifacts that a state requires and that are gone, changed or late. */
  missing: z.int().describe('The number of missing pieces of evidence.'),
  contradicted: z.int().default(0).describe('The number of executions and approvals that differ from their artifacts.'),
  /** Artifacts outside the chain, or not referenced by the resource that they are about. */
  unnamed: z
    .int()
    .default(0)
    .describe('The number of artifacts that are not in the chain, or that no state refers to.'),
  examples: z
    .array(z.string())
    .default([])
    .describe('Ids of the first executions, approvals and artifacts with a finding.'),
})
export type Gaps = z.output<typeof Gaps>

export const NO_GAPS: Gaps = { missing: 0, contradicted: 0, unnamed: 0, examples: [] }

/** The gap of one resource. */
export const gap = (id: string, of: Partial<Omit<Gaps, 'examples'>>): Gaps => ({ ...NO_GAPS, ...of, examples: [id] })

export const sumOf = (all: readonly Gaps[]): Gaps => ({
  missing: all.reduce((sum, { missing }) => sum + missing, 0),
  contradicted: all.reduce((sum, { contradicted }) => sum + contradicted, 0),
  unnamed: all.reduce((sum, { unnamed }) => sum + unnamed, 0),
  examples: all.flatMap(({ examples }) => examples).slice(0, EXAMPLES_MAX),
})

export const hasGaps = ({ missing, contradicted, unnamed }: Gaps): boolean => missing + contradicted + unnamed > 0
