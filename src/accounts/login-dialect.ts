/** Connects better-auth's query builder to the login tables. Reads run at once, and changes go through the writer. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { LoginDatabase, LoginValue } from '../storage/account-store.ts'

export function loginDialect(logins: LoginDatabase): Dialect {
  const connection = new LoginConnection(logins)
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: database => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: refuseTransaction,
      commitTransaction: refuseTransaction,
      rollbackTransaction: refuseTransaction,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  }
}

// The writer commits the changes of many callers together, so one caller cannot have a transaction.
const refuseTransaction = async (): Promise<void> => {
  throw new Error('Logins are changed one statement at a time.')
}

class LoginConnection implements DatabaseConnection {
  readonly #logins: LoginDatabase

  constructor(logins: LoginDatabase) {
    this.#logins = logins
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const isQuestion = query.kind === 'SelectQueryNode'
    const { rows, changes } = await this.#logins.query(sql, parameters as LoginValue[], !isQuestion)
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) }
  }

  // biome-ignore lint/correctness/useYield: nothing streams logins
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Logins are not streamed.')
  }
}
