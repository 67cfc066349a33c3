/**
 * Why no archive of a version may be recorded, undefined if it may: an archive holds what a release left behind, and
 * later code cannot reproduce it.
 */
export const refusalToRecord = (version: string, isRecorded: boolean): string | undefined => {
  if (version.includes('-')) {
    return `package.json says ${version}, which is no release: set the version of the release first`;
  }
  if (isRecorded) {
    return `${version} is recorded already (deploy/release/fixtures/${version}.tar.gz), and an archive is never made anew: set the version of the next release`;
  }
  return undefined;
};
