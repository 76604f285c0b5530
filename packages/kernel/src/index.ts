// Public API: configuration, log, metrics, files, process lifecycle.
export { agentDefinition, type AgentDefinition, canonical, definitionDigest, deriveKey, digestOf, sha256 } from './canonical/canonical.ts'
export { distinctName, exposedName, exposedPrefix, fullName, parseName, type ToolAddress } from './canonical/exposed-name.ts'
export { type Clock, createClock, wallMs, wallTime } from './clock/clock.ts'
export { createRetentionClock, retentionMs } from './clock/retention.ts'
export { isLoopback } from './config/is-loopback.ts'
export { readSettings, type Setting, type Settings, type SettingsInput, type SettingsTable } from './config/settings.ts'
export { type Lock, lockWriter, takeLock } from './files/locks.ts'
export {
  addHostAct,
  getRunDirectoryName,
  getUnitId,
  lockUnit,
  readHostActs,
  readUnitRecord,
  runnerLockName,
  unitLockName,
  type UnitRecord,
  unitRecordName,
  writeUnitRecord,
} from './files/unit-record.ts'
export { hasHostIds, hostIdentity, ifPresent } from './files/permission.ts'
export { keepRetentionClock } from './files/keep-retention-clock.ts'
export { checkSocketPath, listenUnix } from './files/listen-unix.ts'
export { backupCopyPrefix, incomingName, lostAndFound, makeDirectory, privateDirectory, restoringPrefix } from './files/directory.ts'
export { findProgram, type MountEntry, readMountsBelow, needProgram, programPath, readMounts } from './files/host.ts'
export { syncPath, writeAtomically } from './files/write-atomically.ts'
export { describeJsonFault, type JsonFault, JsonRefused, JsonScanner, refuseJsonBody } from './json/json-scanner.ts'
export { checkJson, jsonText, parseJson, parseScannedJson } from './json/parse-json.ts'
export { type Epoch, formatKeyring, parseKeyring } from './keys/keyring.ts'
export { abortable, backoff, type Backoff, createSerialQueue, endsWithin, KeyedQueue, retryOnce, waitFor } from './concurrency.ts'
export { isRefusal, Refusal } from './life/refusal.ts'
export {
  type CommonBoot,
  type EdgeAddress,
  edgeAddress,
  type ReportSecret,
  type ServiceContext,
  type Running,
  runService,
  type ServiceOptions,
} from './life/run-service.ts'
export { createLogger, runInContext, workContext } from './log/create-logger.ts'
export { type Logger, silentLogger } from './log/logger.ts'
export { createMetrics, type Metrics } from './metrics/create-metrics.ts'
export { type Buckets, createBuckets, createWindow, type Window } from './rate.ts'
export { Abandoned, readBody } from './session-socket/body.ts'
export {
  emptyReply,
  type Exchange,
  jsonReply,
  openExchange,
  type Patience,
  problemReply,
  type Reply,
  RunningExchanges,
} from './session-socket/exchange.ts'
export { type InFlightRequest, InFlightRequests } from './session-socket/in-flight.ts'
export { type Bounds, ConcurrencyLimiter } from './session-socket/concurrency-limiter.ts'
export { openSessionSocket, UnexpectedFiles } from './session-socket/listen.ts'
export { createServe, type PathParameters, type Route, type Serve } from './session-socket/serve.ts'
export { Sessions, type SessionsOptions } from './session-socket/sessions.ts'
