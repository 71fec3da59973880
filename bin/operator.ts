import { userInfo } from 'node:os';

/** Who acts when `--by` says nothing: the user of the system. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}
