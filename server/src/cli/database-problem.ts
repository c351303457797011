// A database that cannot be reached, does not let us in or takes nothing is the operator's to mend, not a bug: one sentence for each.

import { ConnectionLostError, isConnectionLoss } from '../store/database.ts'

const untrusted =
  'DATABASE_URL leads to a PostgreSQL whose TLS certificate is of no trusted issuer. Name its authority with sslrootcert=FILE.'

const sentences: { readonly [code: string]: string } = {
  '28P01': 'DATABASE_URL has a user or password that PostgreSQL does not accept.',
  '28000': 'DATABASE_URL has a user or password that PostgreSQL does not accept.',
  '3D000': 'DATABASE_URL names a database that does not exist.',
  '25006':
    'DATABASE_URL leads to a PostgreSQL that takes no writes: a standby, or one that is read-only. Name all servers (postgres://user@one,two/tillbell), and the one is used that takes them.',
  '53100': 'PostgreSQL has no room left on its disk. Make room there, and start again: nothing is lost.',
  '53300': 'PostgreSQL gives no more connections. Raise its max_connections, or end what holds them.',
  CERT_HAS_EXPIRED: 'DATABASE_URL leads to a PostgreSQL whose TLS certificate has expired. Renew it there.',
  CERT_NOT_YET_VALID:
    'DATABASE_URL leads to a PostgreSQL whose TLS certificate is not valid yet. Look at the clocks of both machines.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'DATABASE_URL leads to a PostgreSQL whose TLS certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EMFILE: 'The process has no file descriptor left to connect with. Raise its limit (ulimit -n, LimitNOFILE).',
}

/** Null: something else went wrong. */
export function databaseProblem(error: unknown): string | null {
  const { code } = error as { code?: string }
  const known = sentences[code ?? '']
  if (known !== undefined) return known
  if (!isConnectionLoss(error)) return null
  const which = process.env.DATABASE_URL ? 'DATABASE_URL leads to' : 'There is'
  const isOfSeveral = error instanceof ConnectionLostError && error.message.startsWith('none of the')
  return isOfSeveral
    ? `DATABASE_URL leads to no PostgreSQL that can be used: ${error.message}.`
    : `${which} no PostgreSQL that answers.`
}
