#pragma once

#include "rigor/stepping/contact_judge.hpp"

namespace rigor {

/// The last stage of ContactStep: what the next step needs to know, written into state.contacts, sorted by pairs of
/// shapes and features. `kin` is the new motion. Drift of contacts that stick goes into the certificate.
///
/// The candidates' pointers into the old memory end here. `memory` is storage; where memory was replaced it holds what it
/// was. With `compares`: whether it is now, to the last bit, what it was; else false may be said of what is the same.
bool remember_contacts(const ContactDemand& demand, const Kinematics<double>& kin, bool compares,
                       ContactStep& step, State& state, std::vector<ContactMemory>& memory,
                       ContactCertificate& certificate);

}  // namespace rigor
