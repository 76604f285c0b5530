// What the runner may ask: sessions, what a group is, and changes on behalf of a session that it knows by its socket.
import * as v from 'valibot'
import { ImageID } from '../catalog.ts'
import { ChangeState, Reason, Submitted } from '../change.ts'
import { call, defineEdge } from '../edge.ts'
import type { AuditStage } from '../frozen.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, SessionID, Time } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { PackageLock, PackageName, TreeSighting } from '../kinds/packages.ts'
import { limits } from '../limits.ts'
import { AgentGroup, MountSighting, Session } from '../registry.ts'
import { ChangeAnswer } from '../sandbox/session.ts'

/** The only lines that the runner may write into the journal. */
const runnerStages = ['seal-proof', 'launch', 'exit', 'kill', 'park', 'resume', 'terminate'] as const satisfies readonly AuditStage[]

export const gatewayRunner = defineEdge({
  server: 'gateway',
  caller: 'runner',
  calls: {
    /** Gives the open session of this group and conversation, and opens it if there is none. 404 for an unknown group. */
    openSession: call(v.strictObject({ agentGroupID: AgentGroupID, conversationID: ConversationID }), Session, { patient: true }),
    closeSession: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** While `frozen` nothing is launched for it. `applied`: how many changes of the group were, by which a sandbox knows its own. */
    session: call(
      v.strictObject({ session: SessionID }),
      v.strictObject({ session: Session, group: AgentGroup, applied: v.number(), frozen: v.boolean() }),
      { patient: true },
    ),
    sessions: call(v.strictObject({}), v.array(Session), { patient: true, large: true }),
    submitFor: call(
      v.strictObject({
        session: SessionID,
        kind: v.string(),
        after: v.unknown(),
        reason: v.optional(v.string()),
        /** When the first message of the agent's present turn was handed to it. */
        turnSince: v.optional(Time),
      }),
      Submitted,
      { patient: true, large: true, deadline: limits.submitTime },
    ),
    /** A change of the session's own group, else 404. */
    changeFor: call(v.strictObject({ session: SessionID, id: ChangeID }), ChangeAnswer, { patient: true }),
    /** What this session asked for itself and nobody has decided yet. Twice is as good as once. */
    withdrawFor: call(v.strictObject({ session: SessionID, id: ChangeID, reason: v.optional(Reason) }), ChangeAnswer, { patient: true }),
    /** What the runner found at the paths of the host that `mounts-wanted` named. */
    sighted: call(v.strictObject({ mounts: v.array(MountSighting) }), v.strictObject({}), { patient: true }),
    /** What the references of `images-wanted` name on this host; without an id: nothing, or nothing that is run. */
    imagesSighted: call(
      v.strictObject({ images: v.array(v.strictObject({ image: v.string(), id: v.optional(ImageID) })) }),
      v.strictObject({}),
      { patient: true },
    ),
    /** What the names of `packages-wanted` resolve to. */
    resolved: call(TreeSighting, v.strictObject({}), { patient: true, large: true }),
    /** The tree that an applied change of packages was about; 404 for any other change. */
    tree: call(v.strictObject({ changeID: ChangeID }), v.strictObject({ tree: Digest, lock: PackageLock }), { patient: true, large: true }),
    /** All that there are. */
    groups: call(v.strictObject({}), v.array(AgentGroupID), { patient: true, large: true }),
    /** The trees of all groups. */
    trees: call(v.strictObject({}), v.array(Digest), { patient: true }),
    /** How far an applied change has come in a session. */
    condition: call(
      v.strictObject({
        changeID: ChangeID,
        session: SessionID,
        status: v.picklist(['pending', 'ready', 'failed']),
        reason: v.optional(v.string()),
      }),
      v.strictObject({}),
      { patient: true },
    ),
    note: call(
      v.strictObject({
        stage: v.picklist(runnerStages),
        agentGroupID: v.optional(AgentGroupID),
        detail: JsonObject,
      }),
      v.strictObject({}),
      { patient: true },
    ),
  },
  events: {
    'surface-ready': v.strictObject({ session: SessionID }),
    /** An applied change touched this group: relaunch at the next quiet moment, or within 30 s if it narrows. */
    'group-changed': v.strictObject({ agentGroupID: AgentGroupID, changeID: ChangeID, narrowing: v.boolean() }),
    /** Its files are kept for a while. */
    'group-removed': v.strictObject({ agentGroupID: AgentGroupID }),
    /** A freeze was set or lifted, for the unit or for a group. */
    'freeze-changed': v.strictObject({}),
    'mounts-wanted': v.strictObject({ sources: v.array(v.string()) }),
    'images-wanted': v.strictObject({ images: v.array(v.string()) }),
    'packages-wanted': v.strictObject({ names: v.array(PackageName) }),
    /** By an operator, or because its group is gone. */
    'session-closed': v.strictObject({ session: SessionID }),
    /** A change that this session asked for was decided. */
    'change-decided': v.strictObject({
      session: SessionID,
      id: ChangeID,
      state: ChangeState,
      kind: v.string(),
      reason: v.optional(v.string()),
    }),
  },
})
