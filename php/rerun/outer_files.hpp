// What a program that is run again cannot have: files outside of its folder and other machines. Functions that
// are told what happened on the server never come here; every other way to such a file or a socket (include,
// file_get_contents, SplFileObject, opendir, fsockopen, http://) ends the request without a verdict, where the
// fence would have made it look as if the server had lied.
#pragma once

namespace assay::php {

void shut_outer_files();

}  // namespace assay::php
