/** Lists what the routes of the dashboard need besides the parts of the API. */
import type { Sessions } from '../../accounts/sessions.ts'
import type { Account } from '../../domain/account.ts'
import type { HttpParts } from '../http-parts.ts'

export interface DashboardParts extends HttpParts {
  readonly version: string
  readonly sessions: Sessions
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in. Set on every route that needs a session. */
    person: Account
  }
}
