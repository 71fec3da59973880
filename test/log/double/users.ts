/** Users of the double with their rights. */
import { UsersService } from '@eventstore/db-client/generated/users_grpc_pb.js';
import type {
  CreateReq,
  CreateResp,
  ResetPasswordReq,
  ResetPasswordResp,
} from '@eventstore/db-client/generated/users_pb.js';
import users from '@eventstore/db-client/generated/users_pb.js';
import type { handleUnaryCall, Metadata, Server } from '@grpc/grpc-js';
import { accessDenied, loginConflict, type Refusal, unauthenticated } from './errors.ts';
import type { Store } from './store.ts';

/** Milliseconds for which a node goes on with a password that it has in its memory. */
const PASSWORD_CACHE = 700;

const ADMIN = 'admin';
const ADMINS = '$admins';
const EVERYBODY = '$all';

export interface Users {
  /** Why a call is refused whatever it asks for; null when its user is known. */
  refusal(metadata: Metadata): Refusal | null;
  /** Whether the user of a call has a right to a stream. */
  may(metadata: Metadata, right: Right, stream: string): boolean;
  /** Offers the service of users. */
  serve(server: Server): void;
}

/** To read, write or delete a stream, as its metadata name the rights. */
export type Right = '$r' | '$w' | '$d';

type Acl = Record<string, string | string[] | undefined>;

/** The data of the last event of a stream. */
function lastOf(store: Store, name: string): { $acl?: Acl; $userStreamAcl?: Acl; $systemStreamAcl?: Acl } | null {
  const records = store.stream(name);
  const last = typeof records === 'string' ? undefined : records.at(-1);
  return last ? JSON.parse(Buffer.from(last.data).toString() || '{}') : null;
}

/** @param passwords of all users by name; `admin` may do everything */
export function doubleUsers(store: Store, passwords: Map<string, string>): Users {
  const userOf = (metadata: Metadata): string | null => {
    const sent = String(metadata.get('authorization')[0] ?? '').replace(/^Basic /, '');
    const [, user = '', password = ''] = /^([^:]*):(.*)$/.exec(Buffer.from(sent, 'base64').toString()) ?? [];
    return passwords.get(user) === password ? user : null;
  };
  const isIn = (roles: string | string[] | undefined, user: string | null): boolean =>
    user !== null && [roles ?? []].flat().some((role) => role === user || role === EVERYBODY);
  const manages = (metadata: Metadata): boolean => userOf(metadata) === ADMIN;

  const create: handleUnaryCall<CreateReq, CreateResp> = ({ metadata, request }, answer) => {
    const options = request.getOptions();
    if (userOf(metadata) === null) return answer(unauthenticated());
    if (!manages(metadata)) return answer(accessDenied());
    const name = options?.getLoginName() ?? '';
    // Created again with the same password it is answered like the first time.
    if (passwords.has(name) && passwords.get(name) !== options?.getPassword()) return answer(loginConflict(name));
    passwords.set(name, options?.getPassword() ?? '');
    answer(null, new users.CreateResp());
  };
  const resetPassword: handleUnaryCall<ResetPasswordReq, ResetPasswordResp> = ({ metadata, request }, answer) => {
    if (!manages(metadata)) return answer(accessDenied());
    const options = request.getOptions();
    setTimeout(
      () => passwords.set(options?.getLoginName() ?? '', options?.getNewPassword() ?? ''),
      PASSWORD_CACHE,
    ).unref();
    answer(null, new users.ResetPasswordResp());
  };

  return {
    refusal: (metadata) => (userOf(metadata) === null ? unauthenticated() : null),
    may(metadata, right, name) {
      if (manages(metadata)) return true;
      const isMetadata = name.startsWith('$$');
      const stream = isMetadata ? name.slice(2) : name;
      const asked = isMetadata ? right.replace('$', '$m') : right;
      const settings = lastOf(store, '$settings');
      // Where nothing is set, streams of the server are for its admins and all others for every user.
      const [defaults, nothingSet] = stream.startsWith('$')
        ? [settings?.$systemStreamAcl, ADMINS]
        : [settings?.$userStreamAcl, EVERYBODY];
      const own = lastOf(store, `$$${stream}`)?.$acl;
      return isIn(own?.[asked] ?? defaults?.[asked] ?? nothingSet, userOf(metadata));
    },
    serve(server) {
      server.addService(UsersService, { create, resetPassword });
    },
  };
}
