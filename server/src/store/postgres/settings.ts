import type { DatabaseAddress } from './embedded.ts'

export const databaseName = 'tillbell'
export const databaseUser = 'tillbell'
export const databasePort = 5432

/** Who had PostgreSQL started. The server carries it as its cluster_name, where every later guest can read it. */
export type StartedBy = 'tillbell' | 'tillbell-guest'

export function addressAt(socketFolder: string): DatabaseAddress {
  return { host: socketFolder, port: databasePort, database: databaseName, user: databaseUser }
}

// All settings go on the command line, which overrides postgresql.conf and ALTER SYSTEM: neither an edited file nor a
// statement can open a port or turn durability off, and nothing has to be written into the data folder as root.
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(databasePort),
  unix_socket_permissions: '0700',
  // A process takes up to twenty-one; a few of them, commands beside them and whoever looks in must not turn each other away.
  max_connections: '200',
  shared_buffers: '128MB',
  timezone: 'UTC',

  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',

  // Checkpoints that are rare enough not to rewrite full pages all day under steady load, and near enough that
  // recovery after a power cut takes seconds.
  wal_buffers: '16MB',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  checkpoint_completion_target: '0.9',

  // Plans are made by what is known of a table: a new one that fills is looked at within seconds, not a minute.
  autovacuum_naptime: '15s',

  // Seven files, one per weekday, each overwritten a week later.
  logging_collector: 'on',
  log_destination: 'stderr',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',

  // Customer data must not reach the log. Details and parameters can hold it, and so can an error's own message
  // ('invalid input syntax for type uuid: "..."') and its statement; so refused statements are not logged at all.
  // Their errors go to the client, which knows what it may write down. The server's own events (level LOG, FATAL and
  // PANIC) stay.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
}

export function settingsArguments(socketFolder: string, startedBy: StartedBy): string[] {
  const all = { ...settings, unix_socket_directories: quotedFolder(socketFolder), cluster_name: startedBy }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

// The setting is a list: unquoted, a comma in a folder's name would make it two folders.
function quotedFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}
