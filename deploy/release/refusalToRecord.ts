/**
 * Why no archive of a version is recorded, undefined where one may be: an archive says what a release left behind, and no later code can
 * say that again.
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
