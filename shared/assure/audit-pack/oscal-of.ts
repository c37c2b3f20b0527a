import { catalogueHash } from '../catalogue/catalogue.ts'
import { NOTICE } from '../frameworks/posture-view.ts'
import type { Window } from '../exports/window.ts'
import { oscalResults } from './oscal.ts'
import type { FrameworkStanding } from './standing.ts'

type Facts = { window: Window; as_of: string | null; generated_at: string }

/** The OSCAL document of a framework as it stands. Without a run, it is as of now. */
export const oscalOf = (
  export_id: string,
  { tenant, framework, controls, lines }: FrameworkStanding,
  { window, as_of, generated_at }: Facts,
): object =>
  oscalResults({
    export_id,
    tenant,
    framework,
    controls,
    window,
    as_of: as_of ?? generated_at,
    notice: NOTICE,
    catalogue_hash: catalogueHash(),
    results: lines.flatMap(({ result }) => result ?? []),
  })
