// The HTTP surface: every area's route table.
import type { Route } from '../shared/http/route.ts'
import { health } from './health/routes.ts'

const areas: Record<string, Route>[] = [health]

export const routes: Route[] = areas.flatMap((area) => Object.values(area))
